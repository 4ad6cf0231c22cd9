import HTTPTransport
import Identifiers
import PubNubProtocol
import WireCoding

// Answering the requests of PubNub clients to publish, for presence and for the history.
extension ServiceState {
    /// Answers `/publish/PUB/SUB/0/CHANNEL/0/MESSAGE` and `/signal/PUB/SUB/0/CHANNEL/0/MESSAGE`. The message may also be in the body.
    mutating func pubnubPublish(_ id: UInt64, _ line: DecodedRequest) {
        let name = line.path[4]
        let isSignal = line.path[0] == "signal"
        let json = line.path.count > 6 ? line.path[6...].joined(separator: "/") : String(decoding: line.body, as: UTF8.self)
        let user = line.query["uuid"]
        let event = line.query["custom_message_type"]
        let now = Timetoken(rawValue: nextTick())
        guard (try? JSONText(json)) != nil else { return finish(id, .success(HTTPCallAnswer(.invalidJSON(now)))) }
        let outcome = outcome(on: name)
        if case .refused(let reason) = outcome {
            record(TestPublication(channel: name, event: event ?? "message", json: json, user: user, isAccepted: false))
            return finish(id, .success(HTTPCallAnswer(.publish(403, reason, at: now))))
        }
        record(TestPublication(channel: name, event: event ?? "message", json: json, user: user, isAccepted: true))
        publish(
            TestPubNubMessage(
                tick: now.rawValue, channel: name, payload: Array(json.utf8), publisher: user, customType: event,
                kind: isSignal ? .signal : .message, metadata: line.query["meta"].map { Array($0.utf8) }),
            isStored: !isSignal && line.query["store"] != "0")
        if case .unanswered = outcome {
            requests[id]?.isLost = true
        } else {
            finish(id, PubNubFrames.sent(now))
        }
    }

    /// Answers presence requests: here-now, heartbeat, leave, state, and where-now.
    mutating func pubnubPresence(_ id: UInt64, _ line: DecodedRequest) {
        let path = line.path
        if path[4] == "uuid", path.count == 6 { return whereNow(id, user: path[5]) }
        guard path.count >= 6, path[4] == "channel" else { return hereNow(id, channels: nil, line) }
        switch path.count > 6 ? path[6] : "" {
        case "": hereNow(id, channels: line.list(5), line)
        case "leave":
            for name in line.list(5) { depart(line.query["uuid"] ?? "me", from: name) }
            finish(id, json: #"{"status":200,"message":"OK","service":"Presence"}"#)
        case "heartbeat": finish(id, json: #"{"status":200,"message":"OK","service":"Presence"}"#)
        case "uuid": state(id, of: path.count > 7 ? path[7] : "", line)
        default: finish(id, status: 400, Array(#"{"status":400,"error":true,"message":"Could Not Parse Request"}"#.utf8))
        }
    }

    /// Answers `/v2/presence/sub-key/KEY/channel/CHANNELS/uuid/USER`; with `/data?state=` at the end, sets the user's state.
    private mutating func state(_ id: UInt64, of user: String, _ line: DecodedRequest) {
        let names = line.list(5)
        guard let state = line.query["state"] else {
            let known = names.first.flatMap { channels[Identifier($0)]?.info(of: user) } ?? "{}"
            return finish(id, json: #"{"status":200,"message":"OK","payload":\#(known),"service":"Presence"}"#)
        }
        guard (try? JSONText(state))?.kind == .object else {
            return finish(id, status: 400, Array(#"{"status":400,"error":true,"message":"Invalid JSON specified."}"#.utf8))
        }
        for name in names { update(TestMember(id: user, info: state), on: name) }
        finish(id, json: #"{"status":200,"message":"OK","payload":\#(state),"service":"Presence"}"#)
    }

    private mutating func whereNow(_ id: UInt64, user: String) {
        let names = channels.filter { $0.value.has(user) }.map { JSONWriter.string($0.key.text) }.sorted()
        finish(
            id,
            json: #"{"status":200,"message":"OK","payload":{"channels":[\#(names.joined(separator: ","))]},"service":"Presence"}"#
        )
    }

    private mutating func hereNow(_ id: UInt64, channels wanted: [String]?, _ line: DecodedRequest) {
        let names = wanted ?? channels.filter { !$0.value.members.isEmpty }.map(\.key.text).sorted()
        func occupancy(_ name: String) -> String {
            let members = channels[Identifier(name)]?.members ?? []
            let users = members.map { member in
                member.info.map { #"{"uuid":\#(JSONWriter.string(member.id)),"state":\#($0)}"# }
                    ?? #"{"uuid":\#(JSONWriter.string(member.id))}"#
            }
            let plain = members.map { JSONWriter.string($0.id) }
            let list = line.query["state"] == "1" ? users : plain
            return line.query["disable_uuids"] == "1"
                ? #""occupancy":\#(members.count)"# : #""uuids":[\#(list.joined(separator: ","))],"occupancy":\#(members.count)"#
        }
        if names.count == 1, wanted != nil {
            return finish(id, json: #"{"status":200,"message":"OK",\#(occupancy(names[0])),"service":"Presence"}"#)
        }
        let all = names.map { "\(JSONWriter.string($0)):{\(occupancy($0))}" }.joined(separator: ",")
        let total = names.reduce(0) { $0 + (channels[Identifier($1)]?.members.count ?? 0) }
        finish(
            id,
            json: #"{"status":200,"message":"OK","payload":{"channels":{\#(all)},"total_channels":\#(names.count),"#
                + #""total_occupancy":\#(total)},"service":"Presence"}"#)
    }

    /// Answers `GET /v3/history/sub-key/KEY/channel/CHANNELS`, and the same request with `history-with-actions`.
    mutating func pubnubHistory(_ id: UInt64, _ line: DecodedRequest) {
        let names = line.list(5)
        let most = line.query["max"].flatMap { Int($0) } ?? 100
        let parts = names.compactMap { name -> String? in
            let entries = history(of: name, line).suffix(most)
            guard !entries.isEmpty else { return nil }
            let list = entries.map { entry in
                let kind = line.query["include_message_type"] == "true" ? #","message_type":\#(entry.kind.rawValue)"# : ""
                let custom = entry.customType.map { #","custom_message_type":\#(JSONWriter.string($0))"# } ?? ""
                let user = entry.publisher.map { #","uuid":\#(JSONWriter.string($0))"# } ?? ""
                let actions = line.path[1] == "history" ? "" : actionsMember(of: entry.tick)
                return
                    #"{"message":\#(String(decoding: entry.payload, as: UTF8.self)),"timetoken":"\#(entry.tick)"\#(user)\#(kind)\#(custom)\#(actions)}"#
            }
            return "\(JSONWriter.string(name)):[\(list.joined(separator: ","))]"
        }
        finish(
            id, json: #"{"status":200,"error":false,"error_message":"","channels":{\#(parts.joined(separator: ","))}}"#)
    }

    /// `GET /v2/history/sub-key/KEY/channel/CHANNEL`
    mutating func pubnubOldHistory(_ id: UInt64, _ line: DecodedRequest) {
        let most = line.query["count"].flatMap { Int($0) } ?? 100
        let all = history(of: line.path[5], line)
        let entries = line.query["reverse"] == "true" ? all.prefix(most) : all.suffix(most)
        let withToken = line.query["include_token"] == "true"
        let list = entries.map { entry in
            let payload = String(decoding: entry.payload, as: UTF8.self)
            return withToken ? #"{"message":\#(payload),"timetoken":\#(entry.tick)}"# : payload
        }
        finish(id, json: "[[\(list.joined(separator: ","))],\(entries.first?.tick ?? 0),\(entries.last?.tick ?? 0)]")
    }

    private func history(of name: String, _ line: DecodedRequest) -> [TestPubNubMessage] {
        let before = line.query["start"].flatMap { UInt64($0) } ?? .max
        let from = line.query["end"].flatMap { UInt64($0) } ?? 0
        return stored.filter { $0.channel.isExactly(name) && $0.tick < before && $0.tick >= from }
    }
}
