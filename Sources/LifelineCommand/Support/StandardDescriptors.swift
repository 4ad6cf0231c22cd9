#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Keeps the numbers of standard input, output and error reserved. Rule CL-20.
enum StandardDescriptors {
    /// Opens the standard descriptors that the parent process has closed. Otherwise the next socket or file would get such a number,
    /// and the log would be written to it.
    ///
    /// Input is opened for writing and output for reading, so that reading and writing fail as on closed descriptors.
    static func reserve() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // This is the lowest free number, because all lower ones are open by now.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
