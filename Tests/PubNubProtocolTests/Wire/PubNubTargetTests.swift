import ConnectionEngine
import Testing

@testable import PubNubProtocol

@Suite("Request targets of PubNub")
struct PubNubTargetTests {
    static let settings = PubNubSettings(
        endpoint: HTTPEndpoint(host: "ps.pndsn.com", port: 443, usesTLS: true), publishKey: "pub-key", subscribeKey: "sub-key",
        userID: "u*1", auth: "a b", sdk: "Lifeline/1.0", instanceID: "i", deviceID: "d")

    @Test("Common parameters follow the request's own, encoded by RFC 3986 (PN-1)")
    func commonParameters() {
        let request = PubNubRequest(path: ["time", "0"], parameters: [.init("x", "1+2 &é/")])
        #expect(
            request.target(Self.settings, requestID: "r")
                == "/time/0?x=1%2B2%20%26%C3%A9%2F&uuid=u%2A1&deviceid=d&instanceid=i&requestid=r&pnsdk=Lifeline%2F1.0&auth=a%20b"
        )
    }

    @Test("What is not set is left out, and a request's own parameter wins (PN-1)")
    func ownParameters() {
        var settings = Self.settings
        (settings.instanceID, settings.deviceID, settings.auth) = (nil, nil, nil)
        #expect(PubNubRequest.time.target(settings) == "/time/0?uuid=u%2A1&pnsdk=Lifeline%2F1.0")
        let grant = PubNubRequest(path: ["g"], parameters: [.init("auth", "theirs")])
        #expect(grant.target(Self.settings) == "/g?auth=theirs&uuid=u%2A1&deviceid=d&instanceid=i&pnsdk=Lifeline%2F1.0")
    }

    @Test("Names of a list are encoded one by one; an empty list is a comma (PN-2)")
    func lists() {
        #expect(PubNubRequest.pathList(["a,b", "c/d", "é"]) == "a%2Cb,c%2Fd,%C3%A9")
        #expect(PubNubRequest.pathList([]) == ",")
    }

    @Test("With a secret key and a time, requests are signed as in the vector (PN-3)")
    func signed() throws {
        var settings = Self.settings
        settings.secretKey = "wMfbo9G0xVUG8yfTfYw5qIdfJkTd7A"
        settings.userID = "u*~1"
        settings.sdk = "Test/1.0"
        (settings.instanceID, settings.deviceID, settings.auth) = (nil, nil, nil)
        let grant = PubNubRequest(
            path: ["v2", "auth", "grant", "sub-key", "sub-key"],
            parameters: [
                .init("auth", "myAuth"), .init("channel", "ch 1,ch!2"), .init("r", "1"), .init("ttl", "1440"), .init("w", "0"),
            ])
        let target = grant.target(settings, timestamp: 1_577_840_400)
        #expect(target.hasPrefix("/v2/auth/grant/sub-key/sub-key?"))
        #expect(target.contains("&timestamp=1577840400&"))
        #expect(target.hasSuffix("&signature=v2.BYgK9lcPFSOMyy7Lcm77uPW-fpFt0pvzonF4m2fAFmA"))
        #expect(!target.contains("wMfbo9"))
        #expect(!grant.target(settings).contains("signature"))
    }

    @Test("A handshake has no region; a poll sends the one it knows (PN-4)")
    func subscribing() {
        let list = PubNubList(channels: ["a", "b-pnpres"], groups: ["g", "h"])
        let handshake = PubNubRequest.subscribe(list: list, cursor: .start, settings: Self.settings)
        #expect(handshake.path == ["v2", "subscribe", "sub-key", "a,b-pnpres", "0"])
        #expect(handshake.parameters == [.init("tt", "0"), .init("channel-group", "g,h")])
        let poll = PubNubRequest.subscribe(
            list: PubNubList(groups: ["g"]), cursor: PubNubCursor(timetoken: Timetoken(rawValue: 17), region: 0),
            filter: "x == 'y'", heartbeat: 300, state: #"{"a":{}}"#, settings: Self.settings)
        #expect(poll.path[3] == ",")
        #expect(
            poll.parameters == [
                .init("tt", "17"), .init("tr", "0"), .init("channel-group", "g"), .init("heartbeat", "300"),
                .init("state", #"{"a":{}}"#), .init("filter-expr", "x == 'y'"),
            ])
    }

    @Test("Heartbeats and leaves are not about presence names (PN-6)")
    func presence() {
        let list = PubNubList(channels: ["a", "a-pnpres"], groups: ["g-pnpres", "g"])
        let heartbeat = PubNubRequest.heartbeat(list: list, heartbeat: 60, state: "{}", settings: Self.settings)
        #expect(heartbeat.path == ["v2", "presence", "sub-key", "sub-key", "channel", "a", "heartbeat"])
        #expect(
            heartbeat.parameters == [.init("channel-group", "g"), .init("heartbeat", "60"), .init("state", "{}")])
        let leave = PubNubRequest.leave(list: PubNubList(channels: ["a-pnpres"], groups: ["g"]), settings: Self.settings)
        #expect(leave.path == ["v2", "presence", "sub_key", "sub-key", "channel", ",", "leave"])
        #expect(leave.parameters == [.init("channel-group", "g")])
    }
}
