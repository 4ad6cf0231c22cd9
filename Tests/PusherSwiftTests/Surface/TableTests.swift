import Foundation
import Testing

/// The tables in the documentation of `PusherSwift` against what the tests beside this one compile: a row that none of them uses is found.
struct TableTests {
    private struct Row {
        var declaration: String
        var state: String
    }

    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    private static func page() throws -> String {
        let root = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: root.appendingPathComponent("Sources/PusherSwift/PusherSwift.docc/PusherSwift.md"), encoding: .utf8)
    }

    private static func rows() throws -> [Row] {
        let declarations = try page().components(separatedBy: "## Additions")[0]
        let rows = declarations.split(separator: "\n").compactMap { line -> Row? in
            let cells = line.components(separatedBy: " | ")
            guard line.hasPrefix("| `"), cells.count == 2 else { return nil }
            return Row(declaration: String(cells[0].dropFirst(2)), state: String(cells[1].dropLast(2)))
        }
        // A paragraph lists those without a remark.
        let heading = "As upstream's: "
        let paragraphs = declarations.components(separatedBy: "\n\n").filter { $0.hasPrefix(heading) }
        let listed = paragraphs.flatMap { paragraph in
            paragraph.dropFirst(heading.count).dropLast().replacingOccurrences(of: "\n", with: " ").components(separatedBy: "; ")
        }
        return rows + listed.map { Row(declaration: $0, state: "works") }
    }

    /// The words of a declaration: the last component of its name, and its labels.
    private static func words(_ declaration: String) -> [String] {
        let code = declaration.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        return code.flatMap { span -> [String] in
            let name = span.components(separatedBy: "(")[0].split(separator: " ").prefix { !$0.hasPrefix(":") }
            let labels = span.contains("(") ? span.components(separatedBy: "(")[1].split(separator: ":").dropLast() : []
            let last = name.last { !["NSObject", "NSCopying", "PusherChannel", "WebSocketConnection", "Int"].contains($0) }
            let word = last.map { String($0).replacingOccurrences(of: ":", with: "") }.flatMap { $0.split(separator: ".").last }
            return [word.map(String.init)].compactMap { $0 } + labels.filter { $0 != "_" }.map(String.init)
        }
    }

    @Test func `every declaration that the page says is there is used by these tests`() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.tests, includingPropertiesForKeys: nil)
        let sources = try files.filter { $0.lastPathComponent != "TableTests.swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let rows = try Self.rows()
        try #require(rows.count > 100)
        for row in rows {
            // Initialisers are called by their types' names.
            let missing = Self.words(row.declaration).filter { $0 != "init" && !sources.contains($0) }
            #expect(missing.isEmpty, "\(row.declaration)")
        }
    }

    @Test func `the counts at the top are those of the rows`() throws {
        let rows = try Self.rows()
        let works = rows.count { $0.state.hasPrefix("works") }
        let differs = rows.count { $0.state.hasPrefix("differs: ") }
        #expect(works + differs == rows.count && rows.count > 150)
        let line = """
            Of the \(rows.count) public declarations of PusherSwift 10.1 and its socket, \(works) work as upstream's and \
            \(differs) differ. None is missing.
            """
        #expect(try Self.page().contains(line))
    }
}
