import Identifiers
import ServerStorage
import Testing
import WireCoding

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("App Context as a value (rules PO-2 to PO-10)")
struct KeysetObjectsTests {
    /// Objects with the calls already made.
    private static func made(
        _ calls: [ObjectCall], limits: ObjectLimits = ObjectLimits()
    ) throws -> (objects: KeysetObjects, events: [ObjectDecision.Event]) {
        var objects = KeysetObjects(limits: limits)
        var events: [ObjectDecision.Event] = []
        for (index, call) in calls.enumerated() {
            let decision = try objects.decide(call, at: UInt64(index + 1) * 10_000_000)
            objects.apply(decision)
            events += decision.events
        }
        return (objects, events)
    }

    private static func patch(_ texts: [ObjectField: String?] = [:], custom: ObjectPatch.Custom = .keep) -> ObjectPatch {
        ObjectPatch(texts: texts, custom: custom)
    }

    private static func join(_ user: Identifier, _ channels: Identifier...) -> ObjectCall {
        .memberships(user: user, channels.map { ObjectInput.Membership(id: $0, patch: ObjectPatch()) })
    }

    @Test("What a call leaves out stays, null removes, and own fields are replaced as a whole (PO-3)")
    func patches() throws {
        let first = Self.patch([.name: "Ann", .email: "a@b"], custom: .put(JSONText(checked: #"{"a":1,"b":2}"#)))
        let second = Self.patch([.email: nil, .status: "on"], custom: .put(JSONText(checked: #"{"c":3}"#)))
        let patches = [first, second, Self.patch(custom: .clear)]
        let expected: [(texts: [ObjectField: String], custom: String?)] = [
            ([.name: "Ann", .email: "a@b"], #"{"a":1,"b":2}"#), ([.name: "Ann", .status: "on"], #"{"c":3}"#),
            ([.name: "Ann", .status: "on"], nil),
        ]
        for (index, expected) in expected.enumerated() {
            let objects = try Self.made(patches.prefix(index + 1).map { ObjectCall.set(.user, "ann", $0) }).objects
            let content = try #require(objects.users["ann"]).content
            #expect(content.texts == expected.texts && content.custom?.text == expected.custom)
        }
    }

    @Test("Deciding changes nothing, and a change holds when it is applied (PO-7)")
    func twoSteps() throws {
        var objects = KeysetObjects()
        let decision = try objects.decide(.set(.channel, "room", Self.patch([.name: "Room"])), at: 1)
        #expect(objects.channels["room"] == nil && objects.bytes == 0)
        objects.apply(decision)
        #expect(objects.channels["room"]?.content[.name] == "Room" && objects.bytes > 0)
    }

    @Test("Equal content has an equal version, other content another one (PO-6)")
    func versions() throws {
        let objects = try Self.made([
            .set(.user, "a", Self.patch([.name: "N"])), .set(.user, "b", Self.patch([.name: "N"])),
            .set(.user, "c", Self.patch([.email: "N"])),
            .set(.user, "d", Self.patch([.name: "N"], custom: .put(JSONText(checked: "{}")))),
        ]).objects
        let tags = ["a", "b", "c", "d"].map { objects.users[$0]?.eTag ?? "" }
        #expect(tags[0] == tags[1] && Set(tags).count == 3 && tags.allSatisfy { $0.utf8.count == 14 })
    }

    @Test(
        "A set with a version is done for that version only (PO-6)",
        arguments: [("right", true), ("*", true), ("other", false), ("", false)])
    func precondition(tag: String, isDone: Bool) throws {
        let objects = try Self.made([.set(.channel, "room", Self.patch([.name: "1"]))]).objects
        let tag = tag == "right" ? try #require(objects.channels["room"]).eTag : tag
        let call = ObjectCall.set(.channel, "room", Self.patch([.name: "2"]))
        if isDone {
            #expect(try objects.decide(call, at: 2, ifMatch: tag).changes.count == 1)
        } else {
            #expect(throws: ObjectProblem.changed(.channel)) { try objects.decide(call, at: 2, ifMatch: tag) }
        }
        #expect(throws: ObjectProblem.changed(.user)) {
            try objects.decide(.set(.user, "nobody", Self.patch()), at: 2, ifMatch: tag)
        }
    }

    @Test("Who is told of what (PO-8)")
    func audiences() throws {
        let steps: [(ObjectCall, [Identifier], String)] = [
            (.set(.channel, "room", Self.patch()), ["room"], #""event":"set","type":"channel""#),
            (.set(.user, "ann", Self.patch()), ["ann"], #""event":"set","type":"uuid""#),
            (Self.join("ann", "room", "hall"), ["room", "ann", "hall", "ann"], #""event":"set","type":"membership""#),
            (.set(.user, "ann", Self.patch([.name: "A"])), ["ann", "hall", "room"], #""event":"set","type":"uuid""#),
            (
                .members(channel: "room", [ObjectInput.Membership(id: "ann", patch: nil)]), ["room", "ann"],
                #""event":"delete","type":"membership""#
            ),
            (.members(channel: "room", [ObjectInput.Membership(id: "ann", patch: nil)]), [], ""),
            (.remove(.user, "ann"), ["ann", "hall"], #""event":"delete","type":"uuid""#), (.remove(.user, "ann"), [], ""),
            (.remove(.channel, "room"), ["room"], #""event":"delete","type":"channel""#),
            // Nobody can subscribe to a name with a comma.
            (.set(.user, "a,b", Self.patch()), [], ""), (Self.join("same", "same"), ["same"], #""type":"membership""#),
        ]
        var objects = KeysetObjects()
        for (index, step) in steps.enumerated() {
            let decision = try objects.decide(step.0, at: UInt64(index))
            #expect(decision.events.map(\.channel) == step.1, "\(step.0)")
            #expect(decision.events.allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains(step.2) }, "\(step.0)")
            objects.apply(decision)
        }
        // The membership outlives the metadata of both.
        #expect(objects.memberships["ann"]?.ids == ["hall"] && objects.members["hall"] == ["ann"])
    }

    @Test("An event says what is set, and of what was removed only its ids (PO-8)")
    func events() throws {
        let events = try Self.made([
            .set(.user, "ann", Self.patch([.name: "Ann", .type: "t"], custom: .put(JSONText(checked: #"{"a":1}"#)))),
            .memberships(user: "ann", [ObjectInput.Membership(id: "room", patch: Self.patch([.status: "s"]))]),
            .memberships(user: "ann", [ObjectInput.Membership(id: "room", patch: nil)]),
        ]).events.map { String(decoding: $0.payload, as: UTF8.self) }
        let start = #"{"source":"objects","version":"2.0","event":"#
        let texts = events.map { $0.replacing(/"eTag":"[\w\-]{14}"/, with: "TAG") }
        #expect(
            texts[0] == start
                + #""set","type":"uuid","data":{"id":"ann","name":"Ann","type":"t","custom":{"a":1},"updated":"1970-01-01T00:00:01.000000Z",TAG}}"#
        )
        #expect(
            texts[1] == start
                + #""set","type":"membership","data":{"channel":{"id":"room"},"uuid":{"id":"ann"},"status":"s","updated":"1970-01-01T00:00:02.000000Z",TAG}}"#
        )
        #expect(
            texts.last == start + #""delete","type":"membership","data":{"channel":{"id":"room"},"uuid":{"id":"ann"}}}"#)
    }

    @Test("A user's change is told on so many channels as the bytes of its events allow (PO-10)")
    func eventBytes() throws {
        var limits = ObjectLimits()
        limits.eventBytes = 1000
        let text = String(repeating: "x", count: 200)
        let (_, events) = try Self.made(
            [Self.join("ann", "a", "b", "c", "d", "e"), .set(.user, "ann", Self.patch([.name: text]))], limits: limits)
        let told = events.filter { $0.payload.count > 300 }
        #expect(told.map(\.channel) == ["ann", "a"] && told[0].payload.count > 333 && told[0].payload.count <= 500)
    }

    @Test("What goes beyond a limit is refused, what is there may change and go (PO-10)")
    func bounds() throws {
        var limits = ObjectLimits()
        (limits.entities, limits.memberships, limits.perUser, limits.perChannel) = (1, 4, 3, 2)
        var (objects, _) = try Self.made(
            [.set(.user, "a", Self.patch()), .set(.channel, "c", Self.patch()), Self.join("a", "c", "d"), Self.join("b", "c")],
            limits: limits)
        let refused: [(ObjectCall, String)] = [
            (.set(.user, "b", Self.patch()), "The keyset has reached its maximum number of users. Remove some first."),
            (.set(.channel, "d", Self.patch()), "The keyset has reached its maximum number of channels. Remove some first."),
            (Self.join("a", "e", "f"), "The keyset has reached its maximum number of memberships. Remove some first."),
            (.memberships(user: "a", ["c", "e", "f"].map { .init(id: $0, patch: $0 == "c" ? nil : ObjectPatch()) }), "user"),
            (Self.join("z", "c"), "A channel has reached the maximum of 2 members. Remove some first."),
        ]
        for (call, message) in refused.enumerated().filter({ $0.offset != 3 }).map(\.element) {
            #expect(throws: ObjectProblem.full(message), "\(call)") { try objects.decide(call, at: 9) }
        }
        // One goes and two come: three are there, which is allowed.
        objects.apply(try objects.decide(refused[3].0, at: 9))
        #expect(objects.memberships["a"]?.ids == ["d", "e", "f"] && objects.membershipCount == 4)
        objects.apply(try objects.decide(.memberships(user: "b", [.init(id: "c", patch: nil)]), at: 9))
        #expect(throws: ObjectProblem.full("A user has reached the maximum of 3 memberships. Remove some first.")) {
            try objects.decide(Self.join("a", "g"), at: 9)
        }
        objects.apply(try objects.decide(.set(.user, "a", Self.patch([.name: "A"])), at: 9))
        objects.apply(try objects.decide(.remove(.user, "a"), at: 9))
        objects.apply(try objects.decide(.set(.user, "b", Self.patch()), at: 9))
    }

    @Test("Bytes are counted and given back, and beyond them nothing is added (PO-10)")
    func bytes() throws {
        var limits = ObjectLimits()
        limits.bytes = 3000
        let large = Self.patch([.name: String(repeating: "x", count: 1000)])
        var (objects, _) = try Self.made([.set(.user, "a", large), .set(.user, "b", large)], limits: limits)
        for call in [.set(.user, "c", large), .members(channel: "c", [.init(id: "a", patch: large)])] as [ObjectCall] {
            #expect(throws: ObjectProblem.full("The keyset's App Context has reached its maximum size. Remove some data first."))
            { try objects.decide(call, at: 9) }
        }
        for id in ["a", "b"] as [Identifier] { objects.apply(try objects.decide(.remove(.user, id), at: 9)) }
        #expect(objects.bytes == 0)
        objects.apply(try objects.decide(Self.join("a", "b", "c"), at: 9))
        objects.apply(
            try objects.decide(.memberships(user: "a", ["b", "c"].map { .init(id: $0, patch: nil) }), at: 9))
        #expect(objects.bytes == 0 && objects.membershipCount == 0 && objects.members.isEmpty && objects.memberships.isEmpty)
    }

    @Test("PO-16: setting what is there already is no change and has no event; other bytes, also of one entry, are a change")
    func equalContent() throws {
        let custom = ObjectPatch.Custom.put(JSONText(checked: #"{"a":1}"#))
        let first = Self.patch([.name: "caf\u{E9}", .email: nil], custom: custom)
        let objects = try Self.made([
            .set(.user, "ann", first), .set(.channel, "room", Self.patch()),
            .memberships(user: "ann", [.init(id: "room", patch: Self.patch([.status: "s"]))]),
        ]).objects
        let equal: [ObjectCall] = [
            .set(.user, "ann", first), .set(.user, "ann", Self.patch()), .set(.channel, "room", Self.patch()),
            .set(.user, "ann", Self.patch([.name: "caf\u{E9}"])), Self.join("ann", "room"),
            .members(channel: "room", [.init(id: "ann", patch: Self.patch([.status: "s"], custom: .clear))]),
        ]
        for call in equal { #expect(try objects.decide(call, at: 9) == ObjectDecision(), "\(call)") }
        let tag = try #require(objects.users["ann"]).eTag
        #expect(try objects.decide(.set(.user, "ann", first), at: 9, ifMatch: tag) == ObjectDecision())
        #expect(throws: ObjectProblem.changed(.user)) { try objects.decide(.set(.user, "ann", first), at: 9, ifMatch: "x") }

        let others: [(ObjectCall, Int)] = [
            (.set(.user, "ann", Self.patch([.name: "cafe\u{301}"])), 1), (.set(.user, "bob", Self.patch()), 1),
            (.set(.user, "ann", Self.patch(custom: .put(JSONText(checked: #"{"a": 1}"#)))), 1),
            (.memberships(user: "ann", ["room", "hall"].map { .init(id: $0, patch: ObjectPatch()) }), 1),
            // Removed and set again in one call: the others see both.
            (
                .memberships(
                    user: "ann", [.init(id: "room", patch: nil), .init(id: "room", patch: Self.patch([.status: "s"]))]), 2
            ),
        ]
        for (call, changes) in others { #expect(try objects.decide(call, at: 9).changes.count == changes, "\(call)") }
    }

    @Test("Several entries for one membership go on from each other (PO-5)")
    func repeated() throws {
        let decision = try KeysetObjects().decide(
            .memberships(
                user: "a",
                [
                    .init(id: "c", patch: Self.patch([.status: "1"])), .init(id: "c", patch: Self.patch([.type: "2"])),
                    .init(id: "c", patch: nil), .init(id: "c", patch: Self.patch([.type: "3"])),
                ]), at: 1)
        let expected: [[ObjectField: String]?] = [[.status: "1"], [.status: "1", .type: "2"], nil, [.type: "3"]]
        #expect(decision.changes.map { $0.metadata?.content.texts } == expected)
    }

    @Test("Records give back what was stored, whatever bytes ids have, and others are left out (PO-7)")
    func records() throws {
        let ids: [Identifier] = ["a", "caf\u{E9}", "cafe\u{301}", "\"quoted\"", "a\u{0}b", "[\"a\",\"b\"]"]
        var calls: [ObjectCall] = []
        for id in ids {
            let patch = Self.patch(
                [.name: "\(id.text)\u{1}", .status: "s"], custom: .put(JSONText(checked: #"{"a":1.50,"b":null}"#)))
            calls += [.set(.user, id, patch), .set(.channel, id, patch)]
            calls += ids.map { other in .memberships(user: id, [.init(id: other, patch: patch)]) }
        }
        let objects = try Self.made(calls).objects
        var records: [KeysetRecord.Key: KeysetRecord] = [:]
        var again = KeysetObjects()
        for (index, call) in calls.enumerated() {
            let decision = try again.decide(call, at: UInt64(index + 1) * 10_000_000)
            again.apply(decision)
            for case .put(let record) in decision.changes.map(\.record) { records[record.key] = record }
        }
        let other = [
            KeysetRecord(.init(.file, Array("f".utf8)), Array("{}".utf8)), KeysetRecord(.init(.user, Array("bad".utf8)), [0x7B]),
            KeysetRecord(.init(.membership, Array("x".utf8)), Array(#"{"updated":"1"}"#.utf8)),
        ]
        let restored = KeysetObjects(restoring: Array(records.values) + other)
        #expect(records.count == 2 * ids.count + ids.count * ids.count)
        #expect(restored.users.ids == ids.sorted() && restored.users.values == objects.users.values)
        #expect(restored.channels.values == objects.channels.values && restored.members == objects.members)
        #expect(restored.memberships.mapValues(\.values) == objects.memberships.mapValues(\.values))
        #expect(restored.bytes == objects.bytes && restored.membershipCount == ids.count * ids.count)
    }
}
