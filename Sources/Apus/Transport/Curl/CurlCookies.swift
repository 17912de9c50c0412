import CCurl
import Glibc

/// libcurl's cookie store, shared by any number of handles on any thread.
final class CurlCookies: @unchecked Sendable {
    // @unchecked because libcurl holds `mutex` during each use of the cookies, and we hold `editing` during
    // each use of the editor.

    /// The command that removes all cookies.
    static let removeAll = "ALL"
    /// The command that removes the cookies of the session.
    static let removeSession = "SESS"

    private let pointer: UnsafeMutableRawPointer
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let editing: UnsafeMutablePointer<pthread_mutex_t>
    /// A handle that is never sent; libcurl lists and edits cookies through a handle.
    private var editor: CurlHandle?

    /// Makes an empty set.
    static func make() throws(ApusError) -> CurlCookies {
        do throws(CurlError) {
            try CurlLibrary.load()
            return try CurlCookies()
        } catch {
            throw ApusError(error.reason)
        }
    }

    private init() throws(CurlError) {
        guard let pointer = curl_share_init() else { throw .notLoaded("curl_share_init") }
        self.pointer = pointer
        mutex = Self.newMutex()
        editing = Self.newMutex()
        ccurl_share_cookies(pointer, lockCookies, unlockCookies, mutex)
        let editor = try CurlHandle()
        self.editor = editor
        try editor.list(self)
        // Only after this does libcurl keep session cookies.
        try editor.set(CURLOPT_COOKIELIST, "RELOAD")
    }

    deinit {
        // libcurl frees a share only when no handle uses it.
        editor = nil
        curl_share_cleanup(pointer)
        for mutex in [mutex, editing] {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }
    }

    /// All cookies, including expired ones, as lines of a cookie file.
    func lines() -> [String] {
        pthread_mutex_lock(editing)
        defer { pthread_mutex_unlock(editing) }
        return editor?.cookieLines() ?? []
    }

    /// Adds a line of a cookie file or executes a command; whatever libcurl rejects is ignored.
    func edit(_ line: String) {
        pthread_mutex_lock(editing)
        defer { pthread_mutex_unlock(editing) }
        try? editor?.set(CURLOPT_COOKIELIST, line)  // Fails only without memory.
    }

    /// Attaches the cookies to a handle, whose owner must keep this object until the handle no longer uses them.
    func attach(to handle: UnsafeMutableRawPointer) -> CURLcode {
        ccurl_set_pointer(handle, CURLOPT_SHARE, pointer)
    }

    private static func newMutex() -> UnsafeMutablePointer<pthread_mutex_t> {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        // libcurl nests locks of different kinds.
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
        return mutex
    }
}

private func lockCookies(
    _ handle: UnsafeMutableRawPointer?,
    _ data: curl_lock_data,
    _ access: curl_lock_access,
    _ context: UnsafeMutableRawPointer?
) {
    context.map { _ = pthread_mutex_lock($0.assumingMemoryBound(to: pthread_mutex_t.self)) }
}

private func unlockCookies(
    _ handle: UnsafeMutableRawPointer?,
    _ data: curl_lock_data,
    _ context: UnsafeMutableRawPointer?
) {
    context.map { _ = pthread_mutex_unlock($0.assumingMemoryBound(to: pthread_mutex_t.self)) }
}
