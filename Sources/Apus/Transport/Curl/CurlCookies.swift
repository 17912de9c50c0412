import CCurl
import Glibc

/// libcurl's cookies, shared by any number of handles on any thread.
final class CurlCookies: @unchecked Sendable {
    // @unchecked because libcurl takes `mutex` around each use of the cookies, and we
    // take `editing` around each use of the editor.

    /// The command that removes all cookies.
    static let removeAll = "ALL"
    /// The command that removes the cookies of the session.
    static let removeSession = "SESS"

    private let pointer: UnsafeMutableRawPointer
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let editing: UnsafeMutablePointer<pthread_mutex_t>
    /// A handle that is never sent: libcurl lists and edits cookies through one.
    private var editor: CurlHandle?

    /// Makes an empty set.
    static func make() throws(ApusError) -> CurlCookies {
        do throws(CurlFault) {
            try CurlLibrary.load()
            return try CurlCookies()
        } catch {
            throw ApusError(error.reason)
        }
    }

    private init() throws(CurlFault) {
        guard let pointer = curl_share_init() else { throw .notLoaded("curl_share_init") }
        self.pointer = pointer
        mutex = Self.newMutex()
        editing = Self.newMutex()
        ccurl_share_cookies(pointer, lockCookies, unlockCookies, mutex)
        let editor = try CurlHandle()
        self.editor = editor
        try editor.list(self)
        // Only now does libcurl keep cookies that have no end.
        try editor.set(CURLOPT_COOKIELIST, "RELOAD")
    }

    deinit {
        // libcurl frees a share only when no handle has it.
        editor = nil
        curl_share_cleanup(pointer)
        for mutex in [mutex, editing] {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }
    }

    /// All cookies as lines of a cookie file, those that have ended among them.
    func lines() -> [String] {
        pthread_mutex_lock(editing)
        defer { pthread_mutex_unlock(editing) }
        return editor?.cookieLines() ?? []
    }

    /// Takes a line of a cookie file, or a command; what libcurl refuses is dropped.
    func edit(_ line: String) {
        pthread_mutex_lock(editing)
        defer { pthread_mutex_unlock(editing) }
        try? editor?.set(CURLOPT_COOKIELIST, line)  // Fails only for want of memory.
    }

    /// Gives a handle the cookies; it has to keep this object until it lets go of them.
    func attach(to handle: UnsafeMutableRawPointer) -> CURLcode {
        ccurl_set_pointer(handle, CURLOPT_SHARE, pointer)
    }

    private static func newMutex() -> UnsafeMutablePointer<pthread_mutex_t> {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        // libcurl takes locks of several kinds inside each other.
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
