#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Prevents other files and sockets from getting the descriptor numbers of standard input, output and error (rule CL-20).
enum StandardDescriptors {
    /// Opens `/dev/null` for each standard descriptor that the parent process has closed. Otherwise the next socket or file would get its
    /// number, and logs could be written to that socket.
    ///
    /// Input is opened for writing and output for reading, so that reads and writes fail as they do on closed descriptors.
    static func reserve() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // `open` returns the lowest free number, which is this descriptor, because all lower ones are open.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
