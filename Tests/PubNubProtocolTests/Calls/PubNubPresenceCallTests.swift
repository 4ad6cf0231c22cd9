import Testing

@testable import PubNubProtocol

@Suite("Presence and state of PubNub")
struct PubNubPresenceCallTests {
    @Test("Channels, groups or everything, with what is to be told (PL-30)")
    func hereNowTarget() throws {
        let path = "GET /v2/presence/sub-key/sub"
        #expect(try CallScript.line(PubNubHereNowCall()) == path + "?disable_uuids=0&state=1")
        #expect(
            try CallScript.line(PubNubHereNowCall(channels: ["a", "b"], verbosity: .occupancy))
                == path + "/channel/a,b?disable_uuids=1&state=0")
        #expect(
            try CallScript.line(PubNubHereNowCall(groups: ["g", "h"], verbosity: .users, limit: 0, offset: 5))
                == path + "/channel/,?channel-group=g%2Ch&disable_uuids=0&state=0&limit=0&offset=5")
        #expect(CallScript.refusal(PubNubHereNowCall(limit: 1001)) != nil)
        #expect(CallScript.refusal(PubNubHereNowCall(offset: -1)) != nil)
        #expect(CallScript.refusal(PubNubHereNowCall(groups: [""])) != nil)
    }

    @Test("One channel: names and users with state in one list (PL-31)")
    func hereNowOne() throws {
        let body = #"""
            {"status": 200, "message": "OK", "occupancy": 3, "uuids": ["a",{"uuid":"b","state":{"k": 1}},{"uuid":"Glen"}],
             "service": "Presence"}
            """#
        let answer = try CallScript.answer(PubNubHereNowCall(channels: ["c"]), body)
        #expect(
            answer.channels == [
                .init(name: "c", occupancy: 3, users: [.init(id: "a"), .init(id: "b", state: #"{"k": 1}"#), .init(id: "Glen")])
            ])
        #expect(answer.totalOccupancy == 3)
        #expect(answer.totalChannels == 1)
        let empty = try CallScript.answer(
            PubNubHereNowCall(channels: ["c"], verbosity: .occupancy), #"{"status":200,"occupancy":0,"service":"Presence"}"#)
        #expect(empty.channels == [.init(name: "c", occupancy: 0)])
        #expect(empty.totalChannels == 0)
    }

    @Test("The sum of occupancies stays at the largest number (PL-31)")
    func hereNowSum() throws {
        let body = #"""
            {"status": 200, "payload": {"channels": {"a": {"occupancy": 9223372036854775807}, "b": {"occupancy": 9223372036854775807}}}}
            """#
        let answer = try CallScript.answer(PubNubHereNowCall(), body)
        #expect(answer.channels.map(\.occupancy) == [.max, .max])
        #expect(answer.totalOccupancy == .max)
    }

    @Test("Many channels, groups and everything: by channel, with totals (PL-31)")
    func hereNowMany() throws {
        let body = #"""
            {"status": 200, "message": "OK", "payload": {"channels": {"a": {"occupancy": 1, "uuids": ["u"]}, "b": {"occupancy": 2}},
             "total_channels": 2, "total_occupancy": 3}, "service": "Presence"}
            """#
        let answer = try CallScript.answer(PubNubHereNowCall(groups: ["g"]), body)
        #expect(
            answer.channels == [.init(name: "a", occupancy: 1, users: [.init(id: "u")]), .init(name: "b", occupancy: 2)])
        #expect(answer.totalChannels == 2)
        #expect(answer.totalOccupancy == 3)
        let nobody = #"{"payload":{"channels":[],"total_channels":0,"total_occupancy":0}}"#
        #expect(try CallScript.answer(PubNubHereNowCall(), nobody).channels == [])
        #expect(CallScript.problem(PubNubHereNowCall(), #"{"status":200}"#)?.category == .malformedResponse)
    }

    @Test("Where somebody is")
    func whereNow() throws {
        let call = PubNubWhereNowCall(userID: "u/1")
        #expect(try CallScript.line(call) == "GET /v2/presence/sub-key/sub/uuid/u%2F1")
        let body = #"{"status": 200, "message": "OK", "payload": {"channels": ["a"]}, "service": "Presence"}"#
        #expect(try CallScript.answer(call, body) == ["a"])
        #expect(CallScript.problem(call, #"{"payload":[]}"#)?.category == .malformedResponse)
    }

    @Test("State is set with the whole object (PL-34)")
    func setState() throws {
        let call = PubNubSetStateCall(channels: ["c"], groups: ["g"], userID: "u", state: #"{"a":1}"#)
        #expect(
            try CallScript.line(call)
                == "GET /v2/presence/sub-key/sub/channel/c/uuid/u/data?channel-group=g&state=%7B%22a%22%3A1%7D")
        let body = #"{"status": 200, "message": "OK", "payload": {"a": 1}, "service": "Presence"}"#
        #expect(try CallScript.answer(call, body) == #"{"a": 1}"#)
        #expect(CallScript.refusal(PubNubSetStateCall(channels: ["c"], userID: "u", state: "[1]")) != nil)
        #expect(CallScript.refusal(PubNubSetStateCall(userID: "u", state: "{}")) != nil)
        #expect(CallScript.refusal(PubNubSetStateCall(channels: ["c"], userID: "", state: "{}")) != nil)
    }

    @Test("State is read from one channel or from many (PL-36)")
    func getState() throws {
        let one = PubNubGetStateCall(channels: ["c"], userID: "u")
        #expect(try CallScript.line(one) == "GET /v2/presence/sub-key/sub/channel/c/uuid/u")
        #expect(
            try CallScript.line(PubNubGetStateCall(groups: ["g"], userID: "u"))
                == "GET /v2/presence/sub-key/sub/channel/,/uuid/u?channel-group=g")
        let single = #"{"status":200,"uuid":"u","service":"Presence","message":"OK","payload":{"channels":1},"channel":"c"}"#
        #expect(try CallScript.answer(one, single) == ["c": #"{"channels":1}"#])
        let many = #"{"status":200,"payload":{"channels":{"a":{"x":1},"b":{}}}}"#
        #expect(
            try CallScript.answer(PubNubGetStateCall(channels: ["a", "b"], userID: "u"), many) == ["a": #"{"x":1}"#, "b": "{}"])
        #expect(try CallScript.answer(one, #"{"status":200,"payload":{"x":1}}"#) == ["c": #"{"x":1}"#])
        #expect(CallScript.refusal(PubNubGetStateCall(userID: "u")) != nil)
    }
}
