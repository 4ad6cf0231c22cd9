#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Keeps the numbers of standard input, output and error from meaning anything else. Rule CL-20.
enum StandardDescriptors {
    /// Opens the standard descriptors that the parent process has closed. Otherwise the next socket or file would get such a number, and with it
    /// every line of the log.
    ///
    /// Each is opened the wrong way round, so that reading and writing fail as they do on what is closed.
    static func reserve() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one: those below are open by now.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
