#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Colours text for terminals; without a terminal the text is unchanged.
struct Colours: Sendable {
    let isOn: Bool

    static let off = Colours(isOn: false)

    /// Colours when standard output is a terminal that supports them, and `NO_COLOR` is not set.
    static var standardOutput: Colours {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let term = getenv("TERM").map { String(cString: $0) } ?? ""
        return Colours(isOn: isTerminal && getenv("NO_COLOR") == nil && !term.isEmpty && term != "dumb")
    }

    enum Colour: Int, Sendable {
        case plain = 0
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    func paint(_ text: String, _ colour: Colour) -> String {
        isOn && colour != .plain ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
