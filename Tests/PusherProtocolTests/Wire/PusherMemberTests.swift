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
        #expect(PusherMember.list(parsing: "{}") == nil)
        #expect(PusherMember.list(parsing: #"{"presence":{}}"#) == [])
        #expect(PusherMember(parsing: #"{"user_info":{"a":1},"user_id":7}"#) == PusherMember(userID: "7", infoJSON: #"{"a":1}"#))
        #expect(PusherMember(parsing: #"{"user_info":{}}"#) == nil)
        #expect(PusherMember(parsing: "x") == nil)
        #expect(PusherMember(parsing: PusherMember(userID: "\"", infoJSON: "{}").json)?.userID == "\"")
    }
}
