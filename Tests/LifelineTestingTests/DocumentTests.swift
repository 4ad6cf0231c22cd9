import Foundation
import Testing

/// `docs/testing.md` against the files in `Examples`, which are compiled and run.
@Suite struct DocumentTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    @Test(arguments: ["NeutralExample", "PusherExample", "PubNubExample", "ChatExample"])
    func `LT-36: the document shows the examples as they are`(name: String) throws {
        let root = Self.tests.deletingLastPathComponent().deletingLastPathComponent()
        let document = try String(contentsOf: root.appendingPathComponent("docs/testing.md"), encoding: .utf8)
        let example = try String(contentsOf: Self.tests.appendingPathComponent("Examples/\(name).swift"), encoding: .utf8)
        #expect(document.contains("```swift\n\(example)```\n"), "docs/testing.md does not have Examples/\(name).swift as it is")
    }
}
