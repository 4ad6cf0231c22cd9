import NIOCore
import PubNubProtocol
import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Numbers at the ends of their types, in PubNub's API (SV-85)", .timeLimit(.minutes(2)))
struct ExtremeNumbersPubNubTests {
    private static let apple = String(repeating: "0123456789abcdef", count: 4)

    private static let gets = [
        "/v2/subscribe/demo/room/0?tt={n}&tr={n}&uuid=u&heartbeat={n}", "/v2/subscribe/demo/room/0?tt=0&uuid=u&heartbeat={n}",
        "/v2/subscribe/demo/room/0?t=%7B%22t%22%3A%22{n}%22%2C%22r%22%3A{n}%7D&uuid=u",
        "/v2/subscribe/demo/room/0?tt=0&uuid=u&filter-expr=a%20%2B%20{n}%20%3D%3D%20{n}%20%2A%20{n}",
        "/v2/subscribe/demo/room/0?tt=1&uuid=u&filter-expr=meta.a%20%25%20-1%20%3D%3D%20{n}%20%2F%20-1",
        "/subscribe/demo/room/0/{n}?uuid=u", "/publish/demo/demo/0/room/0/{n}?uuid=u&meta=%7B%22a%22%3A{n}%7D",
        "/publish/demo/demo/0/room/0/1?ttl={n}&seqn={n}&ortt={n}&store=1&uuid=u", "/publish/demo/demo/0/room/0/1?ttl={n}&uuid=u",
        "/publish/demo/demo/0/room/0/1?ortt=%7B%22t%22%3A%22{n}%22%2C%22r%22%3A{n}%7D", "/signal/demo/demo/0/room/0/{n}?uuid=u",
        "/v1/files/publish-file/demo/demo/0/room/0/%7B%22file%22%3A%7B%22id%22%3A%221%22%2C%22name%22%3A%22{n}%22%7D%7D?ttl={n}",
        "/v2/history/sub-key/demo/channel/room?start={n}&end={n}&count={n}&include_token=1",
        "/v2/history/sub-key/demo/channel/room?start={n}",
        "/v2/history/sub-key/demo/channel/room?start={n}&reverse=true",
        "/v2/history/sub-key/demo/channel/room?end={n}&reverse=true",
        "/v2/history/sub-key/demo/channel/room?start=1&end={n}", "/v2/history/sub-key/demo/channel/room?count={n}",
        "/v3/history/sub-key/demo/channel/room?start={n}&end={n}&max={n}", "/v3/history/sub-key/demo/channel/room,b?end={n}",
        "/v3/history/sub-key/demo/channel/room?start={n}", "/v3/history/sub-key/demo/channel/room?max={n}",
        "/v3/history-with-actions/sub-key/demo/channel/room?start={n}&end={n}&max={n}",
        "/v3/history-with-actions/sub-key/demo/channel/room?end={n}",
        "/v3/history/sub-key/demo/message-counts/room?timetoken={n}",
        "/v3/history/sub-key/demo/message-counts/room,b?channelsTimetoken={n},{n}",
        "/v2/presence/sub-key/demo/channel/room?limit={n}&offset={n}&state=1",
        "/v2/presence/sub-key/demo/channel/room?offset={n}",
        "/v2/presence/sub-key/demo?limit={n}&offset={n}", "/v2/presence/sub-key/demo/channel/room,b?offset={n}",
        "/v2/presence/sub-key/demo/channel/room/heartbeat?heartbeat={n}&uuid=u",
        "/v2/presence/sub-key/demo/channel/room/leave?uuid={n}", "/v2/presence/sub-key/demo/channel/room/uuid/u",
        "/v2/presence/sub-key/demo/channel/room/uuid/u/data?state=%7B%22a%22%3A{n}%7D", "/v2/presence/sub-key/demo/uuid/{n}",
        "/v1/channel-registration/sub-key/demo/channel-group/{n}?add={n}",
        "/v1/push/sub-key/demo/devices/abc?type=gcm&count={n}&start={n}", "/v1/push/sub-key/demo/devices/abc?type=gcm&count={n}",
        "/v2/push/sub-key/demo/devices-apns2/\(apple)?environment=development&topic=t&count={n}&start={n}",
        "/v1/message-actions/demo/channel/room?limit={n}&start={n}&end={n}", "/v1/message-actions/demo/channel/room?start={n}",
        "/v1/message-actions/demo/channel/room?end={n}", "/v1/message-actions/demo/channel/room?limit={n}",
        "/v2/objects/demo/uuids?limit={n}&start={b}&count=true", "/v2/objects/demo/uuids?end={b}&limit={n}",
        "/v2/objects/demo/channels?start={n}&limit={n}", "/v2/objects/demo/channels?limit={n}&sort=updated",
        "/v2/objects/demo/uuids/u/channels?start={b}&limit={n}", "/v2/objects/demo/channels/room/uuids?end={b}",
        "/v2/objects/demo/uuids?filter=custom.a%20%3E%20{n}%20%2A%20{n}",
        "/v2/objects/demo/uuids?filter=custom.a%20%25%20{n}%20%3D%3D%20-{n}", "/v1/files/demo/channels/room/files?limit={n}",
        "/v1/files/demo/channels/room/files?next={n}.x&limit={n}", "/v1/files/demo/content/x/y?expires={n}&signature=x",
        "/v2/auth/grant/sub-key/demo?ttl={n}&timestamp={n}&signature=v2.x",
        "/v2/auth/audit/sub-key/demo?timestamp={n}&signature=v2.x", "/time/{n}",
    ]

    /// Method, target and body.
    private static let others = [
        ("DELETE", "/v3/history/sub-key/demo/channel/gone?start={n}&end={n}", ""),
        ("DELETE", "/v3/history/sub-key/demo/channel/gone?end={n}", ""),
        ("POST", "/v1/message-actions/demo/channel/room/message/{n}?uuid=u", #"{"type":"a","value":"{n}"}"#),
        ("DELETE", "/v1/message-actions/demo/channel/room/message/{n}/action/{n}?uuid=u", ""),
        ("POST", "/publish/demo/demo/0/room/0?ttl={n}&seqn={n}", #"{"a":{n}}"#),
        ("POST", "/v1/files/demo/channels/room/generate-upload-url", #"{"name":"{n}"}"#),
        ("PATCH", "/v2/objects/demo/uuids/u", #"{"custom":{"a":{n}}}"#),
        ("PATCH", "/v2/objects/demo/channels/room", #"{"name":"{n}","custom":{"a":{n}}}"#),
        ("PATCH", "/v2/objects/demo/uuids/u/channels?limit={n}", #"{"set":[{"channel":{"id":"room"},"custom":{"a":{n}}}]}"#),
        ("POST", "/v3/pam/demo/grant?timestamp={n}&signature=v2.x", #"{"ttl":{n},"permissions":{}}"#),
    ]

    @Test("Each call is answered, and the server lives", arguments: [false, true])
    func calls(isOnDisk: Bool) async throws {
        try await ExtremeNumbers.withDirectory { directory in
            try await withServer(
                quietApplication,
                {
                    $0.pollHold = .milliseconds(1)
                    if isOnDisk { $0.dataDirectory = directory }
                }
            ) { server in
                let client = try await PollClient.connect(server)
                try await client.publish(#"{"a":1}"#, to: "room", "&meta=%7B%22a%22%3A1%7D")
                for target in Self.gets.flatMap({ ExtremeNumbers.fill($0) }) {
                    let reply = try await client.get(target)
                    #expect(reply.status == 200 || (400..<500).contains(reply.status), "\(reply.status) \(target)")
                }
                for (method, target, body) in Self.others {
                    for number in ExtremeNumbers.all {
                        try await client.send(
                            method, ExtremeNumbers.fill(target, with: number),
                            ByteBuffer(string: ExtremeNumbers.fill(body, with: number)))
                        let status = try await client.reply().status
                        #expect(status == 200 || (400..<500).contains(status), "\(status) \(method) \(target) \(number)")
                    }
                }
                #expect(try await client.get("/time/0").status == 200)
            }
        }
    }

    @Test("Signed calls, and forms of uploads that the server has signed, are answered as well")
    func signedCalls() async throws {
        var keyset = Keyset.development
        keyset.requiresGrants = true
        let fixture = PubNubRESTFixture(keyset)
        for number in ExtremeNumbers.all {
            let grant = fixture.signed("/v2/auth/grant/sub-key/demo", ["r": "1", "channel": "room", "auth": "k", "ttl": number])
            #expect([200, 400].contains(try await fixture.ask(grant).status), "\(number)")
            let body = #"{"ttl":\#(number),"permissions":{"resources":{"channels":{"a":\#(number)}}}}"#
            let token = fixture.signed("/v3/pam/demo/grant", method: "POST", body: body)
            #expect([200, 400].contains(try await fixture.ask(token, method: "POST", body: body).status), "\(number)")
        }
        for value in [Int.max, Int.min, 0, -1] {
            for signed in [
                PubNubAccessToken(issued: value, ttl: value), PubNubAccessToken(issued: Int.max, ttl: value),
                PubNubAccessToken(issued: value, ttl: 1),
            ] {
                var token = signed
                token.sign(with: keyset.secretKey.revealed)
                let answer = try await fixture.ask("/v2/history/sub-key/demo/channel/room?auth=" + token.text)
                #expect(answer.status == 403 || answer.status == 400, "\(value)")
            }
            let upload = FileTicket.Upload(
                subscribeKey: "demo", channel: "room", id: FileID.make(), name: "a", expires: value, maximumBytes: value)
            let form = FileClient.form(
                .init(
                    id: upload.id.text, url: "",
                    fields: [("Policy", upload.policy), ("Signature", upload.signature(keyset.secretKey))]), [1])
            let request = FileRequest(
                application: fixture.application,
                request: PubNubServerRequest(
                    method: "POST", target: try RequestTarget(parsing: "/v1/files/demo/upload"), body: form), boundary: "BoUnD")
            let answer = await withCheckedContinuation { continuation in
                request.answer(.upload) { continuation.resume(returning: $0) }
            }
            #expect((value == .max ? [204] : [400, 403]).contains(answer.status), "\(value) \(answer.status)")
        }
    }
}
