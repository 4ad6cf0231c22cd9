import Testing

@testable import PubNubProtocol

@Suite("App Context of PubNub")
struct PubNubObjectsCallTests {
    @Test("Each resource has its path, each action its method (PL-52)")
    func targets() throws {
        #expect(try CallScript.line(PubNubObjectsCall(.get, .users)) == "GET /v2/objects/sub/uuids")
        #expect(
            try CallScript.line(PubNubObjectsCall(.get, .user("u/1"), include: ["custom"]))
                == "GET /v2/objects/sub/uuids/u%2F1?include=custom")
        let set = PubNubObjectsCall(.set(#"{"name":"N"}"#), .channel("c"))
        #expect(try CallScript.line(set) == "PATCH /v2/objects/sub/channels/c")
        #expect(try set.request(CallScript.settings).body == Array(#"{"name":"N"}"#.utf8))
        #expect(try CallScript.line(PubNubObjectsCall(.remove, .user("u"))) == "DELETE /v2/objects/sub/uuids/u")
        #expect(
            try CallScript.line(PubNubObjectsCall(.set("{}"), .memberships(user: "u")))
                == "PATCH /v2/objects/sub/uuids/u/channels")
        #expect(try CallScript.line(PubNubObjectsCall(.get, .members(channel: "c"))) == "GET /v2/objects/sub/channels/c/uuids")
        #expect(CallScript.refusal(PubNubObjectsCall(.get, .user(""))) != nil)
    }

    @Test("Lists are asked for in parts (PL-53)")
    func pages() throws {
        let page = PubNubObjectPage(
            sort: ["name", "updated:desc"], filter: "name LIKE 'A*'", start: "MQ", end: "MA", limit: 500, includesCount: true)
        #expect(
            try CallScript.line(PubNubObjectsCall(.get, .channels, include: ["custom", "status"], page: page))
                == "GET /v2/objects/sub/channels?include=custom%2Cstatus&count=1&filter=name%20LIKE%20%27A%2A%27"
                + "&sort=name%2Cupdated%3Adesc&limit=100&start=MQ&end=MA")
        #expect(CallScript.refusal(PubNubObjectsCall(.get, .channels, page: PubNubObjectPage(limit: 0))) != nil)
    }

    @Test("PO-15: the count alone is asked for with a limit of 0, and the answer has no elements")
    func countOnly() throws {
        let call = PubNubObjectsCall(.get, .users, page: PubNubObjectPage(limit: 0, includesCount: true))
        #expect(try CallScript.line(call) == "GET /v2/objects/sub/uuids?count=1&limit=0")
        let answer = try CallScript.answer(call, #"{"status":200,"data":[],"totalCount":9}"#)
        #expect(answer.list.isEmpty && answer.totalCount == 9 && answer.next == nil)
        let negative = PubNubObjectPage(limit: -1, includesCount: true)
        #expect(CallScript.refusal(PubNubObjectsCall(.get, .users, page: negative)) != nil)
    }

    @Test("Answers are an object, a list, or nothing after a removal (PL-54)")
    func answers() throws {
        let user = #"{"id":"u","name":"N","externalId":null,"custom":{"k":1},"updated":"2020-06-04T19:39:57.722354Z","eTag":"A"}"#
        let single = try CallScript.answer(PubNubObjectsCall(.get, .user("u")), #"{"status":200,"data":\#(user)}"#)
        #expect(single.object?.text == user)
        let list = try CallScript.answer(
            PubNubObjectsCall(.get, .users), #"{"status":200,"data":[\#(user)],"totalCount":9,"next":"MQ"}"#)
        #expect(list.list.map(\.text) == [user])
        #expect(list.totalCount == 9)
        #expect(list.next == "MQ")
        #expect(list.previous == nil)
        #expect(CallScript.problem(PubNubObjectsCall(.remove, .user("u")), #"{"status":200,"data":null}"#) == nil)
        #expect(CallScript.problem(PubNubObjectsCall(.get, .user("u")), #"{"status":200}"#)?.category == .malformedResponse)
        #expect(
            CallScript.problem(PubNubObjectsCall(.get, .memberships(user: "u")), #"{"status":200,"data":{}}"#)?.category
                == .malformedResponse)
    }
}
