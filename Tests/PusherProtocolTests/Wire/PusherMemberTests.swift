import PusherProtocol
import Testing
import WireCoding

@Suite("Presence members")
struct PusherMemberTests {
    @Test("Members keep their order and what they wrote about themselves")
    func members() {
        let data = #"{"presence":{"count":3,"ids":[12,"b","b"],"hash":{"b":{"n": 1.0 },"12":null,"c":[ ]}}}"#
        #expect(
            PusherMember.list(parsing: data) == [
                PusherMember(userID: "12"), PusherMember(userID: "b", infoJSON: #"{"n": 1.0 }"#),
                PusherMember(userID: "c", infoJSON: "[ ]"),
            ])
        // A member that cannot be read does not cost the others (PW-40).
        let damaged = #"{"presence":{"ids":["a",{},"b\q","c"],"hash":{"a":{"x":\q},"c":{"y":1},"d":tru}}}"#
        #expect(
            PusherMember.list(parsing: damaged) == [
                PusherMember(userID: "a"), PusherMember(userID: "c", infoJSON: #"{"y":1}"#), PusherMember(userID: "d"),
            ])
        // Two spellings that Unicode holds for equivalent are two members (HB-11).
        let spellings = #"{"presence":{"ids":["K","\u212A"],"hash":{"K":1,"\u212A":2}}}"#
        #expect(PusherMember.list(parsing: spellings)?.map(\.infoJSON) == ["1", "2"])
        #expect(PusherMember.list(parsing: "{}") == nil)
        #expect(PusherMember.list(parsing: #"{"presence":{}}"#) == [])
        #expect(PusherMember(parsing: #"{"user_info":{"a":1},"user_id":7}"#) == PusherMember(userID: "7", infoJSON: #"{"a":1}"#))
        #expect(PusherMember(parsing: #"{"user_info":{}}"#) == nil)
        #expect(PusherMember(parsing: "x") == nil)
        #expect(PusherMember(parsing: PusherMember(userID: "\"", infoJSON: "{}").json)?.userID == "\"")
    }

    @Test("Two spellings of one name are two members (HB-11)")
    func spellings() {
        let data = "{\"presence\":{\"ids\":[\"caf\u{E9}\",\"cafe\u{301}\"],\"hash\":{\"cafe\u{301}\":{\"n\":2}}}}"
        let members = PusherMember.list(parsing: data) ?? []
        #expect(members.count == 2 && members.map(\.infoJSON) == [nil, "{\"n\":2}"])
    }
}
