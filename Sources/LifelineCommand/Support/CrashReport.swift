import WireCoding

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes a report to standard error when the program crashes: its version, the signal, and the addresses of the running functions (rule
/// SO-46). Then the program ends as it would without this handler, with the backtrace of Swift's runtime where that is enabled.
///
/// The packaged program has no symbols, and Swift's backtrace program is not in the package: without this handler only the signal of a
/// crash would be known. The handler uses only async-signal-safe functions, and memory that was allocated before.
enum CrashReport {
    private typealias Backtrace = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, CInt) -> CInt
    private typealias Symbols = @convention(c) (UnsafePointer<UnsafeMutableRawPointer?>, CInt, CInt) -> Void

    /// The parts of the report's text. They are set once, before there are other threads, and read by the handler only.
    nonisolated(unsafe) private static var beginning: UnsafeBufferPointer<UInt8>?
    nonisolated(unsafe) private static var ending: UnsafeBufferPointer<UInt8>?
    nonisolated(unsafe) private static var former: UnsafeMutablePointer<sigaction>?
    nonisolated(unsafe) private static var frames: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    nonisolated(unsafe) private static var backtrace: Backtrace?
    nonisolated(unsafe) private static var symbols: Symbols?

    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV]
    /// All signals have numbers below this limit.
    private static let signalLimit = 64
    private static let frameLimit: CInt = 64

    /// Installs the handler. Must be called before there are other threads.
    static func install() {
        beginning = bytes("lifeline \(PackageVersion.current) crashed: signal ")
        ending = bytes("lifeline: end of the backtrace\n")
        let former = UnsafeMutablePointer<sigaction>.allocate(capacity: signalLimit)
        former.initialize(repeating: sigaction(), count: signalLimit)
        self.former = former
        let frames = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: Int(frameLimit))
        frames.initialize(repeating: nil, count: Int(frameLimit))
        self.frames = frames
        backtrace = function("backtrace")
        symbols = function("backtrace_symbols_fd")
        // The first call of `backtrace` loads a library, which must not happen in the signal handler.
        _ = backtrace?(frames, frameLimit)
        for signal in signals {
            var action = sigaction()
            sigemptyset(&action.sa_mask)
            action.sa_flags = CInt(SA_SIGINFO) | CInt(SA_ONSTACK)
            let handler: @convention(c) (CInt, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
                signal, _, _ in
                CrashReport.handle(signal)
            }
            #if canImport(Darwin)
                action.__sigaction_u.__sa_sigaction = handler
            #elseif canImport(Musl)
                action.__sa_handler.sa_sigaction = handler
            #else
                action.__sigaction_handler.sa_sigaction = handler
            #endif
            sigaction(signal, &action, former + Int(signal))
        }
    }

    private static func handle(_ signal: CInt) {
        write(beginning)
        var digits: (UInt8, UInt8, UInt8) = (
            UInt8(ascii: "0") + UInt8(signal / 10 % 10), UInt8(ascii: "0") + UInt8(signal % 10), 0x0A
        )
        withUnsafeBytes(of: &digits) { write($0) }
        if let frames, let backtrace, let symbols {
            symbols(frames, backtrace(frames, frameLimit), STDERR_FILENO)
            write(ending)
        }
        guard let former else { return }
        // Restores the former handler. The signal is raised again, and reaches that handler, after this function returns.
        sigaction(signal, former + Int(signal), nil)
        raise(signal)
    }

    private static func write(_ bytes: UnsafeBufferPointer<UInt8>?) {
        if let bytes { write(UnsafeRawBufferPointer(bytes)) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) {
        #if canImport(Glibc)
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            _ = Musl.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #else
            _ = Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Copies a text to memory that is never freed.
    private static func bytes(_ text: String) -> UnsafeBufferPointer<UInt8> {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = copy.initialize(from: text.utf8)
        return UnsafeBufferPointer(copy)
    }

    /// Finds a function of the C library; nil if this version of the library lacks it.
    private static func function<Function>(_ name: String) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
}
