import Foundation
import PubNubProtocol

// Async functions for stored messages, an addition to the Cocoa SDK. They do not use the callback queue.
extension PubNub {
    /// Fetches the newest stored messages of a channel with their metadata.
    ///
    /// ```swift
    /// var page = try await client.history(of: "room")
    /// while let next = page.next { page = try await client.history(of: "room", before: next) }
    /// ```
    ///
    /// - Parameters:
    ///   - channel: the channel's name.
    ///   - before: only messages older than this timetoken; nil for no limit.
    ///   - from: only messages from this timetoken on, itself included; nil for no limit.
    ///   - limit: the maximum number of messages, 1 to 100; with actions 1 to 25.
    ///   - includesActions: whether messages include their actions.
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func history(
        of channel: String, before: UInt64? = nil, from: UInt64? = nil, limit: Int = 100, includesActions: Bool = false
    ) async throws(PNCallError) -> PNHistoryPage {
        let call = PubNubFetchCall(
            channels: [channel], start: before.map { Timetoken(rawValue: $0) }, end: from.map { Timetoken(rawValue: $0) },
            limit: limit, includesMetadata: true, includesCustomType: true, includesActions: includesActions)
        let fetched = try await answer(to: call)
        let cipher = cipher
        let messages = fetched[channel].map { PNStoredMessage($0, cipher: cipher) }
        let isFull = messages.count >= min(limit, call.maximumLimit)
        return PNHistoryPage(
            messages: messages, next: fetched.more?.start?.rawValue ?? (isFull ? messages.first?.timetoken : nil))
    }

    /// Fetches the newest stored messages of up to 500 channels.
    ///
    /// - Parameters:
    ///   - channels: the channels' names.
    ///   - before: only messages older than this timetoken; nil for no limit.
    ///   - from: only messages from this timetoken on, itself included; nil for no limit.
    ///   - limit: the maximum number of messages of each channel, 1 to 25.
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func history(
        of channels: [String], before: UInt64? = nil, from: UInt64? = nil, limit: Int = 25
    ) async throws(PNCallError) -> [String: [PNStoredMessage]] {
        let call = PubNubFetchCall(
            channels: channels, start: before.map { Timetoken(rawValue: $0) }, end: from.map { Timetoken(rawValue: $0) },
            limit: limit, includesMetadata: true, includesCustomType: true)
        let cipher = cipher
        let pairs = try await answer(to: call).channels.map { channel in
            (channel.name, channel.messages.map { PNStoredMessage($0, cipher: cipher) })
        }
        return Dictionary(pairs) { $1 }
    }

    /// Deletes the stored messages of a channel: those newer than `after`, up to and including `upTo`. A nil bound does not limit the
    /// range.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func deleteHistory(of channel: String, after: UInt64? = nil, upTo: UInt64? = nil) async throws(PNCallError) {
        try await answer(
            to: PubNubDeleteCall(
                channel: channel, start: after.map { Timetoken(rawValue: $0) }, end: upTo.map { Timetoken(rawValue: $0) }))
    }

    /// Counts the messages that were stored on each of up to 100 channels since a timetoken.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func messageCounts(of channels: [String], since timetoken: UInt64) async throws(PNCallError) -> [String: Int] {
        try await answer(to: PubNubCountsCall(channels: channels, timetokens: [Timetoken(rawValue: timetoken)]))
    }

    /// Adds an action to a message.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    @discardableResult
    public func addAction(
        type: String, value: String, to messageTimetoken: UInt64, on channel: String
    ) async throws(PNCallError) -> PNStoredAction {
        PNStoredAction(
            try await answer(
                to: PubNubAddActionCall(
                    channel: channel, messageTimetoken: Timetoken(rawValue: messageTimetoken), type: type, value: value)))
    }

    /// Removes an action from a message.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func removeAction(_ action: PNStoredAction, on channel: String) async throws(PNCallError) {
        try await answer(
            to: PubNubRemoveActionCall(
                channel: channel, messageTimetoken: Timetoken(rawValue: action.messageTimetoken),
                actionTimetoken: Timetoken(rawValue: action.timetoken)))
    }

    /// Fetches the newest actions of a channel's messages, oldest first.
    ///
    /// - Parameters:
    ///   - channel: the channel's name.
    ///   - before: only actions older than this timetoken; nil for no limit.
    ///   - limit: the maximum number of actions, 1 to 100.
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func actions(
        on channel: String, before: UInt64? = nil, limit: Int = 100
    ) async throws(PNCallError) -> [PNStoredAction] {
        let call = PubNubFetchActionsCall(channel: channel, start: before.map { Timetoken(rawValue: $0) }, limit: limit)
        return try await answer(to: call).actions.map { PNStoredAction($0) }
    }
}
