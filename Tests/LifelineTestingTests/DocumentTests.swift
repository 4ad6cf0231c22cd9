import Foundation
import Testing

/// The documentation of `LifelineTesting` against the files in `Examples`, which are compiled and run.
@Suite struct DocumentTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    private var document: String {
        get throws {
            let root = Self.tests.deletingLastPathComponent().deletingLastPathComponent()
            let page = root.appendingPathComponent("Sources/LifelineTesting/LifelineTesting.docc/LifelineTesting.md")
            return try String(contentsOf: page, encoding: .utf8)
        }
    }

    @Test func `LT-36: the document shows the first example as it is`() throws {
        let example = try String(contentsOf: Self.tests.appendingPathComponent("Examples/NeutralExample.swift"), encoding: .utf8)
        #expect(
            try document.contains("```swift\n\(example)```\n"),
            "LifelineTesting.md does not have Examples/NeutralExample.swift as it is")
    }

    @Test(arguments: ["PusherExample", "PubNubExample", "ChatExample"])
    func `LT-36: the document names the other examples`(name: String) throws {
        #expect(FileManager.default.fileExists(atPath: Self.tests.appendingPathComponent("Examples/\(name).swift").path))
        #expect(try document.contains("`Tests/LifelineTestingTests/Examples/\(name).swift`"))
    }
}
