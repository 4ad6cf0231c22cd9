import Foundation
import PubNubProtocol
import WireCoding

@testable import ServerTestSupport

/// Numbers at and beyond the ends of the integer types, as texts.
enum ExtremeNumbers {
    static let all = [
        "9223372036854775807", "9223372036854775806", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "0",
        "-1", "1e400", "4294967296", "99999999999999999999999999",
    ]

    /// The requests that come of a template: `{n}` is a number, `{b}` the same in base64 without padding.
    static func fill(_ template: String) -> [String] {
        guard template.contains("{n}") || template.contains("{b}") else { return [template] }
        return all.map { fill(template, with: $0) }
    }

    static func fill(_ template: String, with number: String) -> String {
        template.replacing("{n}", with: number)
            .replacing("{b}", with: Base64URL.text(Array(number.utf8), isPadded: false))
    }

    /// A directory that goes with the test.
    static func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }
}
