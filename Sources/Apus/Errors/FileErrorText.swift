/// Texts for the system's error numbers.
package enum FileErrorText {
    /// Advice on an error; nil if its text is enough.
    static func advice(for number: Int32) -> String? {
        switch number {
        case 1: "It must belong to you: have it removed, or choose another."
        case 13: "You must be allowed to read and write it (`chmod u+rw`, a folder `u+rwx`)."
        case 16: "Try again when the other program has ended."
        case 39: "It is used for something else: choose a new or empty folder."
        case 117:
            """
            A damaged cache is set aside, and the next request begins a new one; `apus cache verify` \
            removes damaged entries.
            """
        default: nil
        }
    }

    /// The text of an error that files and folders can cause; other errors are given by number, because the
    /// C library would use the user's language.
    package static func words(for number: Int32) -> String {
        switch number {
        case 1, 13: "permission denied"
        case 2: "no such file"
        case 4: "it was interrupted"
        case 5: "it cannot be read or written, or has become shorter"
        case 12: "there is not enough memory"
        case 16: "another program is using it"
        case 17: "it already exists"
        case 18: "it is on another file system"
        case 19: "there is no such device"
        case 20: "a part of the path is not a folder"
        case 21: "it is a folder"
        case 22: "the system rejects it as invalid"
        case 23, 24: "too many open files"
        case 26: "it is a running program"
        case 27: "the file is too large"
        case 28: "the disk is full"
        case 29: "it is a pipe or a device, whose length is not known"
        case 30: "the disk is read-only"
        case 36: "its name is too long"
        case 39: "the folder is not empty"
        case 40: "there are too many levels of symbolic links"
        case 75: "the file is too large"
        case 95: "its file system does not support that"
        case 110: "its file system does not respond"
        case 116: "it no longer exists on its file system"
        case 117: "it is damaged"
        case 122: "the disk quota is used up"
        default: "error \(number)"
        }
    }
}
