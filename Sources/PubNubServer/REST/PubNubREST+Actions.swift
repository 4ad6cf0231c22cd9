import PubNubProtocol
import RealtimeHub
import WireCoding

/// Message actions (wire sheet 7; rules PV-70 to PV-73).
extension PubNubREST {
    /// The longest type, in characters.
    private static let maximumType = 15
    private static let pageLimit = 100

    func addAction(_ request: PubNubServerRequest, _ channel: String, _ message: String) -> HTTPAnswer {
        guard let message = Timetoken(message) else { return Self.invalid("Invalid timetoken", "message", in: "path") }
        guard let user = request.user, !user.isEmpty else { return Self.invalid("Missing field", "uuid", in: "query") }
        guard let body = try? JSONText(bytes: request.body), body.kind == .object else {
            return .pubnub(status: 400, ActionBodies.refusal(400, "Request payload must be in JSON format."))
        }
        guard let type = body["type"]?.string, !type.isEmpty else { return Self.invalid("Missing field", "type", in: "body") }
        guard let value = body["value"]?.string, !value.isEmpty else { return Self.invalid("Missing field", "value", in: "body") }
        guard type.count <= Self.maximumType, !type.hasPrefix("_"), !type.hasPrefix("pn_") else {
            return Self.invalid("Invalid type", "type", in: "body")
        }
        let token = application.withState { state in
            let token = application.timeline.next()
            state.streams.assign(token)
            return token
        }
        let action = MessageAction(
            type: type, value: value, user: user, message: message.rawValue, timetoken: token)
        switch application.actions.add(action, to: channel) {
        case .added:
            tell(ActionBodies.event(action, "added"), by: user, on: channel, at: token)
            return .pubnub(ActionBodies.added(action))
        case .known:
            abandon(token)
            return .pubnub(status: 409, ActionBodies.refusal(409, "Action Already Added"))
        case .full:
            abandon(token)
            return .pubnub(status: 503, ActionBodies.refusal(503, "Service Unavailable"))
        }
    }

    func removeAction(
        _ request: PubNubServerRequest, _ channel: String, _ message: String, _ action: String
    ) -> HTTPAnswer {
        guard let message = Timetoken(message), let timetoken = Timetoken(action) else {
            return Self.invalid("Invalid timetoken", "action", in: "path")
        }
        let user = request.user ?? ""
        switch application.actions.remove(timetoken.rawValue, of: message.rawValue, on: channel, by: user) {
        case .removed(let action):
            let token = application.withState { state in
                let token = application.timeline.next()
                state.streams.assign(token)
                return token
            }
            tell(ActionBodies.event(action, "removed"), by: user, on: channel, at: token)
            return .pubnub(ActionBodies.removed)
        case .anothers:
            return .pubnub(
                status: 400, ActionBodies.refusal(400, "Not deleting message action: wrong uuid specified"))
        case .unknown:
            return .pubnub(status: 400, ActionBodies.refusal(400, "No matching message actions to delete"))
        }
    }

    func actions(_ request: PubNubServerRequest, _ channel: String) -> HTTPAnswer {
        let asked = request.parameter("limit").flatMap { Int($0) } ?? Self.pageLimit
        let limit = asked > 0 ? min(asked, Self.pageLimit) : Self.pageLimit
        let (start, end) = (request.timetoken("start")?.rawValue, request.timetoken("end")?.rawValue)
        // One more than asked for tells whether there is another page.
        var found = application.actions.page(of: channel, start: start, end: end, limit: limit + 1)
        let isCut = found.count > limit
        if isCut { found.removeFirst() }
        guard isCut, let first = found.first?.timetoken else { return .pubnub(ActionBodies.page(found, more: nil)) }
        var url = "\(request.target.rawPath)?start=\(first)&limit=\(limit)"
        if let end { url += "&end=\(end)" }
        return .pubnub(ActionBodies.page(found, more: (url, first, end, limit)))
    }

    /// Publishes an event about an action. Never stored, but kept as long as subscribers may catch up.
    private func tell(_ payload: [UInt8], by user: String, on channel: String, at token: UInt64) {
        let keyset = application.keyset
        let message = StoredMessage(
            timetoken: token, channel: channel, publisher: user, payload: payload, kind: PubNubMessageKind.action.rawValue,
            isStored: false)
        let envelope = PubNubEnvelope(message, region: application.timeline.region, subscribeKey: keyset.subscribeKey)
        let element = PubNubElement(shared: envelope.shared)
        application.timeline.store.append(message, application: keyset.subscribeKey) { [application] error in
            application.change { state, news in
                news.entries += error == nil ? state.streams.append(message, element) : state.streams.abandon(token)
            }
        }
    }

    private func abandon(_ token: UInt64) {
        application.change { state, news in news.entries += state.streams.abandon(token) }
    }

    private static func invalid(_ problem: String, _ field: String, in place: String) -> HTTPAnswer {
        .pubnub(status: 400, ActionBodies.invalid(problem, field, in: place))
    }
}
