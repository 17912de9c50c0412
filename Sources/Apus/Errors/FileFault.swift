/// The system's error numbers in words.
enum FileFault {
    /// What to do about one; nil for what says so itself.
    static func advice(for number: Int32) -> String? {
        switch number {
        case 1: "It must belong to you: have it removed, or name another."
        case 13: "You must be allowed to read and write it (`chmod u+rw`, a folder `u+rwx`)."
        default: nil
        }
    }

    /// Those that files and folders meet; others by number, for the C library
    /// would say them in the user's language.
    static func words(for number: Int32) -> String {
        switch number {
        case 1, 13: "permission denied"
        case 2: "no such file"
        case 5: "it cannot be read, or has become shorter"
        case 17: "it exists already"
        case 20: "a part of the path is not a folder"
        case 21: "it is a folder"
        case 24: "too many open files"
        case 27: "the file is too large"
        case 28: "the disk is full"
        case 29: "it is a pipe or a device, whose length is not known"
        case 30: "the disk is read-only"
        case 122: "the quota is used up"
        default: "error \(number)"
        }
    }
}
