import Identifiers
import PubNubProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// Requests about message actions (rules PV-70 to PV-75).
extension PubNubREST {
    /// The largest length of an action's type, in characters.
    private static let maximumType = 15
    /// The largest length of an action's value in bytes. It suffices for an edited text of a message, which some clients store as an
    /// action.
    private static let maximumValue = 4096
    private static let pageLimit = 100
    /// How many times the history is searched for a message. The search is repeated when messages of the keyset were deleted meanwhile.
    private static let looks = 3

    /// Adds an action. The answer is sent once the action is stored.
    ///
    /// - Returns: an error that was found without reading the store; otherwise nil, and the answer goes to `reply`.
    func addAction(
        _ request: PubNubServerRequest, channel: String, message: String, reply: @escaping HTTPReply
    ) -> HTTPAnswer? {
        guard PubNubDraft.isValid(channel: channel) else { return Self.invalidChannel }
        guard let message = Timetoken(message) else { return Self.invalid("Invalid timetoken", "message", in: "path") }
        guard let user = request.user, !user.isEmpty else { return Self.invalid("Missing field", "uuid", in: "query") }
        guard PubNubDraft.isValid(user: user) else { return Self.invalid("Invalid uuid", "uuid", in: "query") }
        guard let body = try? JSONText(bytes: request.body), body.kind == .object else {
            return .pubnub(status: 400, ActionBodies.refusal(400, "Request payload must be in JSON format."))
        }
        guard let type = body["type"]?.string, !type.isEmpty else { return Self.invalid("Missing field", "type", in: "body") }
        guard let value = body["value"]?.string, !value.isEmpty else { return Self.invalid("Missing field", "value", in: "body") }
        guard type.utf8.count <= 4 * Self.maximumType, type.count <= Self.maximumType, !type.hasBytePrefix("_"),
            !type.hasBytePrefix("pn_")
        else {
            return Self.invalid("Invalid type", "type", in: "body")
        }
        guard value.utf8.count <= Self.maximumValue else { return Self.invalid("Value too long", "value", in: "body") }
        let owner = owner(of: request)
        Task {
            let answer = await add(on: channel, by: owner, reply: reply) { token in
                MessageAction(type: type, value: value, user: user, message: message.rawValue, timetoken: token)
            }
            if let answer { reply(answer) }
        }
        return nil
    }

    /// Adds an action to a message in the channel's history (rule PV-75).
    ///
    /// - Parameters:
    ///   - owner: the user or client address whose share of the limits the action uses; nil when it counts against no share.
    ///   - make: makes the action with its timetoken.
    /// - Returns: an error; otherwise nil, and the answer goes to `reply`.
    private func add(
        on channel: String, by owner: Identifier?, reply: @escaping HTTPReply, _ make: (UInt64) -> MessageAction
    ) async -> HTTPAnswer? {
        for _ in 0..<Self.looks {
            let deletions = application.actions.deletions
            do {
                guard try await isStored(make(0).message, on: channel) else { return Self.noMessage }
            } catch {
                return Self.unavailable
            }
            let token = nextToken()
            let action = make(token)
            guard count(action, by: owner) else {
                abandon(token)
                return .pubnub(status: 429, ActionBodies.refusal(429, ShareUsed.message))
            }
            let addition = application.actions.add(action, to: channel, unlessDeletedSince: deletions)
            guard addition != .added else {
                store(.added(action), by: action.user, on: channel, at: token) { isStored in
                    if !isStored { count(action, by: owner, isRemoval: true) }
                    reply(isStored ? .pubnub(ActionBodies.added(action)) : Self.unavailable)
                }
                return nil
            }
            count(action, by: owner, isRemoval: true)
            abandon(token)
            switch addition {
            case .known: return .pubnub(status: 409, ActionBodies.refusal(409, "Action Already Added"))
            case .full: return Self.unavailable
            case .stale, .added: continue
            }
        }
        return Self.unavailable
    }

    private func isStored(_ message: UInt64, on channel: String) async throws -> Bool {
        let query = HistoryQuery(
            channel: Identifier(channel), start: message < .max ? message + 1 : nil, end: message, limit: 1)
        let found = try await application.storage.store.history(query, application: application.subscribeKey)
        return found.first?.timetoken == message
    }

    /// Removes an action. The answer is sent once the removal is stored.
    func removeAction(
        _ request: PubNubServerRequest, channel: String, message: String, action: String, reply: @escaping HTTPReply
    ) -> HTTPAnswer? {
        guard PubNubDraft.isValid(channel: channel) else { return Self.invalidChannel }
        guard let message = Timetoken(message), let timetoken = Timetoken(action) else {
            return Self.invalid("Invalid timetoken", "action", in: "path")
        }
        let user = request.user ?? ""
        switch application.actions.remove(timetoken.rawValue, of: message.rawValue, on: channel, by: user) {
        case .removing(let action):
            let owner = owner(of: request)
            store(.removed(action), by: user, on: channel, at: nextToken()) { isStored in
                if isStored { count(action, by: owner, isRemoval: true) }
                reply(isStored ? .pubnub(ActionBodies.removed) : Self.unavailable)
            }
            return nil
        case .anothers:
            return .pubnub(
                status: 400, ActionBodies.refusal(400, "Not deleting message action: wrong uuid specified"))
        case .unknown:
            return .pubnub(status: 400, ActionBodies.refusal(400, "No matching message actions to delete"))
        }
    }

    func actions(_ request: PubNubServerRequest, _ channel: String) -> HTTPAnswer {
        guard PubNubDraft.isValid(channel: channel) else { return Self.invalidChannel }
        let asked = request.parameter("limit").flatMap { Int($0) } ?? Self.pageLimit
        let limit = asked > 0 ? min(asked, Self.pageLimit) : Self.pageLimit
        let (start, end) = (Self.bound(request, "start"), Self.bound(request, "end"))
        let (found, isCut) = application.actions.page(
            of: channel, start: start, end: end, limit: limit, maximumBytes: HistoryAnswerPage.maximumBytes)
        guard isCut, let first = found.first?.timetoken else { return .pubnub(ActionBodies.page(found, more: nil)) }
        var url = "\(request.target.rawPath)?start=\(first)&limit=\(limit)"
        if let end { url += "&end=\(end)" }
        return .pubnub(ActionBodies.page(found, more: (url, first, end, limit)))
    }

    /// Adds an action to the share of the user or address that adds it (rule PV-180). Returns false when the share is used up.
    @discardableResult
    private func count(_ action: MessageAction, by owner: Identifier?, isRemoval: Bool = false) -> Bool {
        let size = OwnerShares.Size(count: 1, bytes: action.size)
        return application.add(
            isRemoval ? -size : size, to: .actions, by: owner,
            share: OwnerShares.Size(count: MessageActions.capacity, bytes: MessageActions.maximumBytes).divided())
    }

    private func nextToken() -> UInt64 {
        application.withState { state in
            let token = application.nextToken(&state)
            state.streams.assign(token)
            return token
        }
    }

    /// Stores a change together with its event. The event is not part of the history; the store keeps it only for as long as subscribers
    /// may catch up with it.
    ///
    /// - Parameter completion: called with whether the change was stored. If so, the change is visible and its event is published.
    private func store(
        _ change: MessageActionChange, by user: String, on channel: String, at token: UInt64,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        let subscribeKey = application.subscribeKey
        let message = StoredMessage(
            timetoken: token, channel: Identifier(channel), publisher: user, payload: ActionBodies.event(change),
            kind: PubNubMessageKind.action.rawValue, isStored: false)
        let envelope = PubNubEnvelope(message, region: application.storage.region, subscribeKey: subscribeKey)
        let element = PubNubElement(shared: envelope.shared)
        application.storage.store.append(message, with: change, application: subscribeKey) { [application] error in
            application.actions.settle(change, on: channel, isStored: error == nil)
            application.change { state, pending in
                pending.entries += error == nil ? state.streams.append(message, element) : state.streams.abandon(token)
            }
            completion(error == nil)
        }
    }

    private func abandon(_ token: UInt64) {
        application.change { state, pending in pending.entries += state.streams.abandon(token) }
    }

    private static var noMessage: HTTPAnswer {
        .pubnub(
            status: 404,
            ActionBodies.refusal(404, "There is no message with this timetoken in the history of the channel."))
    }

    private static var unavailable: HTTPAnswer {
        .pubnub(status: 503, ActionBodies.refusal(503, "Service Unavailable"))
    }

    private static var invalidChannel: HTTPAnswer {
        invalid(PubNubErrorBody.invalidChannelName, "channel", in: "path")
    }

    private static func invalid(_ problem: String, _ field: String, in place: String) -> HTTPAnswer {
        .pubnub(status: 400, ActionBodies.invalid(problem, field, in: place))
    }
}
