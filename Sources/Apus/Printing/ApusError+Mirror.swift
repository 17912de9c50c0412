extension ApusError: CustomReflectable {
    /// What the error says, without secrets, instead of how it is stored.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "code": code, "message": message.description, "request": request as Any,
                "response": response as Any,
            ],
            displayStyle: .struct
        )
    }
}
