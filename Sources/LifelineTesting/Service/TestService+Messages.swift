import EngineRuntime
import Identifiers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Delivering messages of other users, and reading messages that the app has published.
extension TestService {
    /// Another user publishes a value, encoded as JSON. Subscribed clients of Pusher, PubNub and chat receive it; PubNub and chat also
    /// store it for the history and for disconnected users.
    ///
    /// - Parameters:
    ///   - value: the message.
    ///   - event: the event's name; for PubNub the custom message type, for chat the message type. Nil for a message without one.
    ///   - channel: the channel, as the app names it. Channels of chat are `direct:USER`, `group:ID`, `system:ID`, or the name of an open
    ///     channel.
    ///   - user: the publisher's id, if the service reports it; nil for an unnamed publisher. On `direct:USER` the publisher is always
    ///     `USER`.
    /// - Throws: ``TestServiceError/Code/notSubscribed`` when no client was ever subscribed to the channel,
    ///   ``TestServiceError/Code/unencodable`` for a value that cannot be encoded as JSON.
    public func deliver(
        _ value: some Encodable & Sendable, event: String? = nil, on channel: String, from user: String? = nil
    ) async throws(TestServiceError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        guard let data = try? encoder.encode(value) else {
            throw TestServiceError(.unencodable, "A value of type \(type(of: value)) cannot be encoded as JSON.")
        }
        try await deliver(json: String(decoding: data, as: UTF8.self), event: event, on: channel, from: user)
    }

    /// Another user publishes JSON text unchanged. See ``deliver(_:event:on:from:)``.
    ///
    /// - Throws: ``TestServiceError/Code/notSubscribed`` when no client was ever subscribed to the channel,
    ///   ``TestServiceError/Code/unencodable`` for a text that is not JSON.
    public func deliver(
        json: String, event: String? = nil, on channel: String, from user: String? = nil
    ) async throws(TestServiceError) {
        try await act { (state) throws(TestServiceError) in
            try state.requireSubscriber(of: channel)
            state.deliver(json, event: event, on: channel, from: user)
        }
    }

    /// Another user publishes bytes, as with `Channel.publish(data:event:options:)`. See ``deliver(_:event:on:from:)``.
    ///
    /// - Throws: ``TestServiceError/Code/notSubscribed`` when no client was ever subscribed to the channel.
    public func deliver(
        data: Data, event: String? = nil, on channel: String, from user: String? = nil
    ) async throws(TestServiceError) {
        try await deliver(json: #"{"base64":"\#(data.base64EncodedString())"}"#, event: event, on: channel, from: user)
    }

    /// Makes the service lose the messages that it stores for disconnected clients, so that clients declare a gap after the next reconnect.
    /// Call ``drop(_:)`` next. Histories stay.
    ///
    /// Pusher stores no such messages, so a client of Pusher declares a gap after every reconnect.
    public func loseMessages() {
        core.change { state in
            state.stream = []
            state.region += 1
            for user in state.inboxes.keys { state.inboxes[user]?.lose() }
        }
    }

    /// Sets how the service answers messages that the app publishes from now on.
    ///
    /// - Parameters:
    ///   - answer: the answer to each message.
    ///   - channel: the channel; nil for all channels without a separate setting.
    public func answerPublishing(_ answer: Publishing, on channel: String? = nil) {
        core.change { state in
            if let channel {
                state.publishing[Identifier(ServiceState.plain(channel))] = answer
            } else {
                state.publishingElsewhere = answer
            }
        }
    }

    /// The messages that the app has published so far, including refused ones, oldest first.
    ///
    /// - Parameter channel: the channel; nil for all channels.
    public func published(on channel: String? = nil) -> [TestPublication] {
        core.read { state in
            state.publications.filter { publication in
                channel.map { ServiceState.plain($0).isExactly(ServiceState.plain(publication.channel)) } ?? true
            }
        }
    }

    /// Sets a closure that answers HTTP requests: requests to the app's own server, such as an authorisation endpoint, and requests to the
    /// service that the test wants to answer itself.
    ///
    /// - Parameter answer: returns the answer; nil for the service's own answer. Called on any thread; must not call the service.
    public func onRequest(_ answer: @escaping @Sendable (TestRequest) -> TestAnswer?) {
        core.change { $0.answerRequest = answer }
    }

    /// The HTTP requests that the service has answered so far, oldest first.
    public var requests: [TestRequest] { core.read { $0.requestLog } }
}

extension ServiceState {
    func requireSubscriber(of name: String) throws(TestServiceError) {
        if case (let conversation, _) = Self.chatChannel(name), conversation != .open, conversation != .group,
            !inboxes.isEmpty
        {
            return
        }
        if channels[Identifier(Self.plain(name))]?.isKnown ?? false { return }
        let patterns = channels.filter { $0.value.isKnown && $0.key.text.hasByteSuffix(".*") }.map(\.key.text)
        if patterns.contains(where: { name.hasBytePrefix(String($0.dropLast())) }) { return }
        let known = channels.filter { $0.value.isKnown }.map(\.key.text).sorted().joined(separator: ", ")
        throw TestServiceError(
            .notSubscribed,
            "No client was ever subscribed to channel \(name), so nobody would receive the message. Subscribe first. "
                + (known.isEmpty ? "No channel was subscribed so far." : "Channels subscribed so far: \(known)."))
    }
}
