import PusherProtocol
import Testing

@testable import PusherServer

@Suite struct EncodedMembersTests {
    private func confirmation(_ roster: PresenceRoster) -> [UInt8] {
        PusherFrames.subscriptionSucceeded(channel: "presence-a", members: roster.encoded.texts, count: roster.encoded.count)
    }

    private func expected(_ roster: PresenceRoster) -> [UInt8] {
        PusherFrames.subscriptionSucceeded(
            channel: "presence-a", members: roster.members.map { PusherMember(userID: $0.userID, infoJSON: $0.info) })
    }

    @Test("CR-86: A confirmation of members that were encoded before is the same as one of members encoded for it")
    func shapes() {
        var roster = PresenceRoster()
        roster.encode()
        #expect(confirmation(roster) == expected(roster))
        for member in [
            PresenceMember(userID: "1", info: #"{"name":"Ann \"A\" \\ ü"}"#), PresenceMember(userID: #"q"\é"#),
            PresenceMember(userID: "3", info: "null"),
        ] {
            _ = roster.join(member)
            roster.encode()
            #expect(confirmation(roster) == expected(roster))
        }
    }

    @Test("CR-86: Members who leave are not in confirmations, however many come and go between", arguments: 0..<4)
    func changes(_ seed: UInt64) {
        var roster = PresenceRoster()
        var state = seed &+ 1
        func draw(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        for step in 0..<2_000 {
            let user = "user-\(draw(300))"
            if draw(5) < 3 {
                _ = roster.join(PresenceMember(userID: user, info: draw(2) == 0 ? nil : #"{"step":\#(step)}"#))
            } else if roster.contains(userID: user) {
                _ = roster.leave(userID: user)
            }
            guard draw(20) == 0 else { continue }
            roster.encode()
            #expect(confirmation(roster) == expected(roster))
        }
        for member in roster.members { while roster.contains(userID: member.userID) { _ = roster.leave(userID: member.userID) } }
        roster.encode()
        #expect(roster.encoded == EncodedMembers())
        #expect(confirmation(roster) == expected(roster))
    }
}
