#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Hides secrets in this program's arguments, which every user of the machine can see in lists of processes (rule CL-22).
enum ProcessList {
    /// Options whose values are or contain secrets.
    static let secretOptions: Set<String> = [
        "--secret", "--previous-secret", "--token", "--cipher-key", "--encryption-key", "--proxy", "--header", "--pubnub-secret",
        "--pubnub-previous-secret",
        "--nexconn-secret", "--nexconn-previous-secret",
        "--webhook", "--nexconn-webhook", "--auth-endpoint", "--user-endpoint", "--parse",
    ]

    /// Overwrites secrets in the memory from which the system reads the arguments: the values of ``secretOptions``, and user, password and
    /// query of every other address. Called once, after the program has read its arguments and before there are other threads.
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
            hideParts(ofAddress: argument)
            let parts = String(cString: argument).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(String.init), secretOptions.contains(name) else { continue }
            if parts.count > 1 { hide(argument, from: name.utf8.count + 1) } else { isValue = true }
        }
    }

    /// Overwrites what may be secret in `scheme://user:password@host/path?query#fragment`: the part before `@`, and the part after `?` or
    /// `#`.
    private static func hideParts(ofAddress argument: UnsafeMutablePointer<CChar>) {
        let bytes = UnsafeMutableBufferPointer(start: argument, count: strlen(argument))
        let cover = CChar(UInt8(ascii: "x"))
        func place(of letters: StaticString, from start: Int) -> Int? {
            let wanted = UnsafeBufferPointer(start: letters.utf8Start, count: letters.utf8CodeUnitCount)
            return bytes.indices.dropFirst(start).first { index in wanted.contains { $0 == UInt8(bitPattern: bytes[index]) } }
        }
        guard let colon = place(of: ":", from: 0), bytes.count > colon + 2, bytes[colon + 1] == CChar(UInt8(ascii: "/")),
            bytes[colon + 2] == CChar(UInt8(ascii: "/"))
        else { return }
        let start = colon + 3
        let end = place(of: "?#", from: start) ?? bytes.count
        let authority = min(place(of: "/", from: start) ?? end, end)
        if let at = bytes[start..<authority].lastIndex(of: CChar(UInt8(ascii: "@"))) {
            for index in start..<at { bytes[index] = cover }
        }
        for index in bytes.indices.dropFirst(end + 1) { bytes[index] = cover }
    }

    private static func hide(_ argument: UnsafeMutablePointer<CChar>, from start: Int) {
        let length = strlen(argument)
        if start < length { memset(argument + start, Int32(UInt8(ascii: "x")), length - start) }
    }
}
