import BodyCompression
import Identifiers
import NIOCore
import WireCoding

@testable import RedisClient

/// JSON, compressed bodies, the protocol of Redis.
enum WireTargets {
    static let all = [
        FuzzTarget(name: "json", run: json), FuzzTarget(name: "json-repair", run: repair),
        FuzzTarget(name: "compression", run: compression), FuzzTarget(name: "redis", run: redis),
    ]

    /// A JSON text, read as a tree and member by member.
    @Sendable private static func json(_ input: FuzzInput) {
        let tree = try? JSONValue(parsing: input.array)
        guard let text = try? JSONText(bytes: input.array) else {
            require(tree == nil, "The tree is read from what is no JSON text.")
            return
        }
        walk(text, depth: 0)
        guard let tree else { return }
        var written: [UInt8] = []
        tree.append(to: &written)
        require((try? JSONValue(parsing: written)) == tree, "The tree is not read as it is written.")
    }

    private static func walk(_ text: JSONText, depth: Int) {
        _ = (text.string, text.integer, text.double, text.bool, text.identifier)
        guard depth < 4 else { return }
        for member in text.members ?? [] {
            _ = text[member.key]
            walk(member.value, depth: depth + 1)
        }
        for element in text.elements ?? [] { walk(element, depth: depth + 1) }
    }

    /// A damaged JSON text. What comes of it is JSON.
    @Sendable private static func repair(_ input: FuzzInput) {
        var input = input
        let plans: [JSONRepair.Plan] = [
            .init(.init("m", elementKeys: ["c", "d"])), .init(.init("in", elementKeys: ["q"]), .init("*")),
            .init(.init("channels", "*", elementKeys: ["message"])),
        ]
        let plan = plans[Int(input.byte()) % plans.count]
        guard let repaired = JSONRepair(input.bytes, plan) else { return }
        require((try? JSONText(bytes: repaired.bytes)) != nil, "The repaired text is no JSON text.")
    }

    /// A compressed body.
    @Sendable private static func compression(_ input: FuzzInput) {
        guard let content = try? BodyCompression.inflate(input.array, limit: 65_536) else { return }
        require(content.count <= 65_536, "The content has \(content.count) bytes.")
        let again = try? BodyCompression.inflate(BodyCompression.gzip(content), limit: 65_536)
        require(again == content, "The content is not read as it is written.")
    }

    /// Values of Redis, in one piece and in small ones; and the address of a Redis.
    @Sendable private static func redis(_ input: FuzzInput) {
        var input = input
        let size = Int(input.byte()) + 1
        _ = try? RedisAddress(input.text)
        require(values(input.pieces(of: .max)) == values(input.pieces(of: size)), "The pieces change what was received.")
    }

    private static func values(_ pieces: [ByteBuffer]) -> [String] {
        var decoder = RedisDecoder(limits: RedisLimits(line: 1024, bytes: 65_536, elements: 1024, depth: 8))
        var values: [String] = []
        for piece in pieces {
            decoder.receive(piece)
            do {
                while let value = try decoder.next() { values.append("\(value)") }
            } catch {
                return values + ["\(error)"]
            }
        }
        return values
    }
}
