import PusherProtocol
import Testing

@Suite("Names and limits (rule PW-11)")
struct PusherNamesTests {
    @Test(
        "The prefix says what kind a channel is",
        arguments: [
            ("news", .normal, false), ("cache-news", .normal, true), ("private-a", .private, false),
            ("private-cache-a", .private, true), ("presence-a", .presence, false), ("presence-cache-a", .presence, true),
            ("private-encrypted-a", .encrypted, false), ("private-encrypted-cache-a", .encrypted, true),
            ("private", .normal, false), ("privately-a", .normal, false), ("private-encrypted", .private, false),
            ("Presence-a", .normal, false), ("#server-to-user-1", .normal, false),
        ] as [(String, PusherChannelKind.Access, Bool)])
    func kinds(_ name: String, _ access: PusherChannelKind.Access, _ isCache: Bool) {
        let kind = PusherChannelKind(of: name)
        #expect(kind.access == access)
        #expect(kind.isCache == isCache)
        #expect(kind.needsAuthorization == (access != .normal))
        #expect(kind.allowsClientEvents == (access == .private || access == .presence))
    }

    @Test("Names within the rules are accepted")
    func accepted() throws {
        for name in [
            "a", "private-reservations-for-venue@venue_id=1;date=2017-01-13", "A-Za_z=@,.;", String(repeating: "x", count: 200),
            "#server-to-user-a b@c",
        ] {
            let channel = try PusherChannelName(name)
            #expect(channel.name == name)
            #expect(channel.isReserved == name.hasPrefix("#"))
        }
    }

    @Test("Names outside the rules say why")
    func refused() {
        #expect(throws: PusherNameError.empty) { try PusherChannelName("") }
        #expect(throws: PusherNameError.tooLong(limit: 200)) { try PusherChannelName(String(repeating: "x", count: 201)) }
        for name in ["a b", "ä", "a/b", "a:b", "a\n", "a#b", "#", "#a\r\n", "a\u{0}"] {
            #expect(throws: PusherNameError.invalidCharacter) { try PusherChannelName(name) }
        }
    }

    @Test("Socket ids are two numbers")
    func socketIDs() {
        for id in ["1.2", "45481.3166671"] { #expect(PusherLimits.accepts(socketID: id)) }
        for id in ["", ".", "1", "1.", ".2", "1.2.3", "1.2\n", "a.b", "1.2:private-x", String(repeating: "1", count: 64) + ".1"] {
            #expect(!PusherLimits.accepts(socketID: id))
        }
    }

    @Test("Event names have a length")
    func eventNames() {
        #expect(PusherLimits.accepts(eventName: String(repeating: "é", count: 200)))
        #expect(!PusherLimits.accepts(eventName: String(repeating: "é", count: 201)))
        #expect(!PusherLimits.accepts(eventName: ""))
    }
}
