#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What every user of the machine sees of this program's arguments in lists of processes. Rule CL-22.
enum ProcessList {
    /// Options whose values are secrets, or have one in them.
    static let secretOptions: Set<String> = [
        "--secret", "--token", "--cipher-key", "--encryption-key", "--proxy", "--header", "--pubnub-secret", "--nexconn-secret",
    ]

    /// Writes over the values of ``secretOptions`` where the system reads them. Called once, when everything has been read that the
    /// program itself wants to know, and before there are other threads.
    static func hideSecrets(
        in arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = CommandLine.unsafeArgv,
        count: Int = Int(CommandLine.argc)
    ) {
        var isValue = false
        for index in 0..<max(count, 0) {
            guard let argument = arguments[index] else { return }
            if isValue {
                hide(argument, from: 0)
                isValue = false
                continue
            }
            let parts = String(cString: argument).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(String.init), secretOptions.contains(name) else { continue }
            if parts.count > 1 { hide(argument, from: name.utf8.count + 1) } else { isValue = true }
        }
    }

    private static func hide(_ argument: UnsafeMutablePointer<CChar>, from start: Int) {
        let length = strlen(argument)
        if start < length { memset(argument + start, Int32(UInt8(ascii: "x")), length - start) }
    }
}
