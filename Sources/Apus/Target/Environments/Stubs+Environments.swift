extension Stubs {
    /// The sample of each target whose environment is mocked and names no server
    /// for it; all others ask the server.
    public static let environments = Stubs { target in
        guard let environment = target.environment, environment.isMocked,
            environment.mockURL == nil
        else { return .never }
        return .immediate(target.sample)
    }
}
