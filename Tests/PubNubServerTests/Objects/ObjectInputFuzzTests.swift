import ServerRuntime
import ServerStorage
import Testing
import WireCoding

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Mutated calls of App Context (PV-4, PO-2, PO-11)")
struct ObjectInputFuzzTests {
    private static let bodies = [
        #"{"name":"Ann","email":null,"custom":{"a":1.5,"b":"é\u0000","c":null},"status":"s","type":"t"}"#,
        #"{"set":[{"channel":{"id":"a"},"uuid":{"id":"a"},"custom":{"a":1}},{"channel":{"id":"b"},"uuid":{"id":"b"},"status":"s"}],"#
            + #""delete":[{"channel":{"id":"c"},"uuid":{"id":"c"}}]}"#,
    ]
    private static let queries = [
        "include=custom,channel.custom,uuid&count=1&limit=10&start=MQ&sort=name:desc,channel.updated",
        "filter=name%20LIKE%20'a*'%20%26%26%20(custom.x%20%3E%201%20%7C%7C%20!(id%20%3D%3D%20%22b%22))&sort=updated&end=Mg&count=true",
    ]

    private static func mutated(_ text: String, _ random: inout FuzzRandom) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let index = bytes.indices.randomElement(using: &random) else { break }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0 ... .max, using: &random)
            case 1: bytes.remove(at: index)
            default: bytes.insert(bytes[index], at: index)
            }
        }
        return bytes
    }

    @Test("Whatever a body says, it is refused with a status or can be decided, stored and restored")
    func bodies() throws {
        var random = FuzzRandom(seed: 11)
        var (accepted, refused) = (0, 0)
        for round in 0..<10_000 {
            let body = Self.mutated(Self.bodies[round % 2], &random)
            do throws(ObjectProblem) {
                let objects = KeysetObjects()
                let call: ObjectCall =
                    round % 2 == 0
                    ? .set(.user, "u", try ObjectInput.patch(body, .user, limits: objects.limits))
                    : .memberships(
                        user: "u", try ObjectInput.memberships(body, round % 4 == 1 ? "channel" : "uuid", limits: objects.limits))
                let decision = try objects.decide(call, at: 1)
                // As a store has them: the last one of each key.
                var records: [KeysetRecord.Key: KeysetRecord] = [:]
                for case .put(let record) in decision.changes.map(\.record) { records[record.key] = record }
                var applied = objects
                applied.apply(decision)
                let restored = KeysetObjects(restoring: Array(records.values))
                #expect(restored.users.values == applied.users.values && restored.members == applied.members)
                #expect(decision.events.allSatisfy { (try? JSONText(bytes: $0.payload)) != nil })
                accepted += 1
            } catch {
                #expect((400..<500).contains(error.status))
                refused += 1
            }
        }
        #expect(accepted > 1000 && refused > 1000, "\(accepted) \(refused)")
    }

    @Test("Whatever a query says, it is refused with a status or gives a page")
    func queries() throws {
        var random = FuzzRandom(seed: 13)
        var objects = KeysetObjects()
        objects.apply(try objects.decide(.memberships(user: "u", [.init(id: "c", patch: ObjectPatch())]), at: 1))
        objects.apply(try objects.decide(.set(.user, "u", ObjectPatch(texts: [.name: "Ann"])), at: 1))
        let lists: [ObjectList] = [.users, .channels, .memberships(user: "u"), .members(channel: "c")]
        var (accepted, refused) = (0, 0)
        for round in 0..<10_000 {
            let text = String(decoding: Self.mutated(Self.queries[round % 2], &random), as: UTF8.self)
            guard let target = try? RequestTarget(parsing: "/v2/objects/demo/uuids?" + text) else { continue }
            do throws(ObjectProblem) {
                let list = lists[round / 2 % lists.count]
                let request = PubNubServerRequest(method: "GET", target: target, body: [])
                let page = try objects.page(of: list, ObjectQuery(request, list, limits: objects.limits))
                #expect(page.elements.count <= 1)
                accepted += 1
            } catch {
                #expect(error.status == 400)
                refused += 1
            }
        }
        #expect(accepted > 500 && refused > 500, "\(accepted) \(refused)")
    }
}
