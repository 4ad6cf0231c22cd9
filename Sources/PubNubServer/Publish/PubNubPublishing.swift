import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import ServerRuntime

/// Publishes messages: assigns a timetoken, stores the message, delivers it to subscribers and then acknowledges it.
struct PubNubPublishing: Sendable {
    let application: PubNubApplication
    /// The counts of messages that were acknowledged through this server.
    let counts: NIOLockedValueBox<ApplicationCounts>

    func answer(_ request: PubNubServerRequest, _ route: PubNubRoute, reply: @escaping HTTPReply) {
        let now = Timetoken(rawValue: application.storage.tokens.now)
        let draft: PubNubDraft
        do throws(PubNubErrorBody) {
            switch route {
            case .publish(let key, let channel, let payload):
                guard key.isExactly(application.keyset.publishKey) else { throw .invalidKey(now) }
                draft = try PubNubDraft(request, channel: channel, payload: payload, kind: .message, now: now)
            case .publishFile(let key, let channel, let payload):
                guard key.isExactly(application.keyset.publishKey) else { throw .invalidKey(now) }
                draft = try PubNubDraft(request, channel: channel, payload: payload, kind: .file, now: now)
            case .signal(let key, let channel, let payload):
                guard key.isExactly(application.keyset.publishKey) else { throw .invalidKey(now) }
                draft = try PubNubDraft(request, channel: channel, payload: payload, kind: .signal, now: now)
            default: return reply(HTTPAnswer(.couldNotParse))
            }
        } catch {
            return reply(HTTPAnswer(error))
        }
        publish(draft) { result in
            switch result {
            case .success(let token): reply(.pubnub(PubNubFrames.sent(token)))
            case .failure(let error): reply(HTTPAnswer(error))
            }
        }
    }

    /// Publishes a message.
    ///
    /// - Parameters:
    ///   - isBridged: whether the message came from another service.
    ///   - completion: called once the message is durable and visible, on any thread. With a store in memory it is called before
    ///     this method returns (rule PV-17).
    func publish(
        _ draft: PubNubDraft, isBridged: Bool = false,
        completion: @escaping @Sendable (Result<Timetoken, PubNubErrorBody>) -> Void
    ) {
        let application = application
        let storage = application.storage
        guard draft.isDelivered else {
            let token = application.withState { application.nextToken(&$0) }
            count()
            return completion(.success(Timetoken(rawValue: token)))
        }
        if let token = application.takeUnanswered(draft) {
            if !isBridged { count() }
            return completion(.success(Timetoken(rawValue: token)))
        }
        let token = application.withState { state in
            let token = application.nextToken(&state)
            state.streams.assign(token)
            return token
        }
        let keyset = application.keyset
        let message = draft.message(
            timetoken: token, storesByDefault: keyset.storesByDefault, retention: keyset.historyRetention)
        let envelope = PubNubEnvelope(message, region: storage.region, subscribeKey: keyset.subscribeKey)
        let element = PubNubElement(shared: envelope.shared)
        storage.store.append(message, application: keyset.subscribeKey) { error in
            application.change { state, pending in
                pending.entries += error == nil ? state.streams.append(message, element) : state.streams.abandon(token)
                guard error == nil, !isBridged else { return }
                count()
                application.bridge?.carry(message, of: application.subscribeKey)
            }
            if error == nil { application.push.tell(message) }
            completion(error == nil ? .success(Timetoken(rawValue: token)) : .failure(.serviceUnavailable))
        }
    }

    private func count() {
        counts.withLockedValue { $0[application.slot] += 1 }
    }
}
