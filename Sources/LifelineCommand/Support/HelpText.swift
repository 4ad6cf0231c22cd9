/// Formats texts of `--help` for terminals of any width. Rule CL-91.
enum HelpText {
    /// The width of lines that must not be wrapped: one column less than the narrowest usual terminal.
    static let width = 79

    /// Joins the lines of each paragraph, so that the parser wraps paragraphs to the terminal's width. Lines that begin with a space, such
    /// as examples, are kept. A command that is too long is continued on the next line with `\`, so that users can still copy it.
    static func text(_ source: String) -> String {
        var lines: [String] = []
        var joinsNext = false
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let isProse = line.first.map { $0 != " " } ?? false
            if isProse, joinsNext, let last = lines.popLast() {
                lines.append("\(last) \(line)")
            } else if isProse {
                lines.append(String(line))
            } else {
                lines += command(line)
            }
            joinsNext = isProse && !isHeading(line)
        }
        return lines.joined(separator: "\n")
    }

    /// Whether a line is a heading, such as `EXAMPLES`.
    private static func isHeading(_ line: Substring) -> Bool { line.allSatisfy { $0.isUppercase } }

    /// Splits a long line of an example: before an option if possible, otherwise before another word. Further lines are indented by four
    /// more spaces.
    static func command(_ line: some StringProtocol) -> [String] {
        var lines: [String] = []
        var rest = String(line)
        let isCommand = line.trimmingSpaces.hasPrefix("lifeline ")
        let indentation = String(repeating: " ", count: rest.prefix { $0 == " " }.count + 4)
        while rest.count > width,
            let end = breakPoint(rest, after: lines.isEmpty ? 0 : indentation.count, atWords: isCommand)
        {
            lines.append(rest[..<end] + " \\")
            rest = indentation + rest[rest.index(after: end)...]
        }
        return lines + [rest]
    }

    /// The last space, outside of quotes and before an option or a pipe, that leaves room for the backslash; nil for none.
    ///
    /// - Parameter atWords: whether the line may be split before any word, if it cannot be split before an option or a pipe.
    private static func breakPoint(_ line: String, after start: Int, atWords: Bool) -> String.Index? {
        var found: String.Index?
        var word: String.Index?
        var isQuoted = false
        for (offset, index) in line.indices.enumerated() where offset <= width - 2 {
            if line[index] == "'" { isQuoted.toggle() }
            let rest = line[line.index(after: index)...]
            let isBreak = rest.hasPrefix("--") || rest.hasPrefix("|") || rest.hasPrefix("lifeline ")
            guard offset > start + 2, !isQuoted, line[index] == " " else { continue }
            word = index
            if isBreak { found = index }
        }
        return found ?? (atWords ? word : nil)
    }
}
