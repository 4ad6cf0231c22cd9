import Foundation
import PubNubProtocol

// Methods for stored messages. Each returns at once; `block` is called on the callback queue.
//
// `start` and `end` are timetokens and bound the time range: `start` is excluded, `end` is included. The answer has the newest messages of
// the range, in the order of publication, or the oldest messages with `reverse`. With a cipher key the messages are decrypted. When a
// message cannot be decrypted, the call ends without a result and with a status of `PNDecryptionErrorCategory`, whose `associatedObject` is
// the `PNHistoryData`.
extension PubNub {
    /// Requests the newest messages of a channel, at most 100.
    public func historyForChannel(_ channel: String, withCompletion block: @escaping PNHistoryCompletionBlock) {
        history(HistoryDraft(channel: channel), block)
    }

    /// Requests the newest messages of a channel, at most 100, optionally with their metadata.
    public func historyForChannel(
        _ channel: String, withMetadata shouldIncludeMetadata: Bool, completion block: @escaping PNHistoryCompletionBlock
    ) {
        history(HistoryDraft(channel: channel, includesMetadata: shouldIncludeMetadata), block)
    }

    /// Requests the newest messages of a channel, at most 100, or at most 25 with their actions.
    public func historyForChannel(
        _ channel: String, withMessageActions shouldIncludeMessageActions: Bool,
        completion block: @escaping PNHistoryCompletionBlock
    ) {
        history(HistoryDraft(channel: channel, includesActions: shouldIncludeMessageActions), block)
    }

    /// Requests the newest messages of a channel, optionally with their metadata and their actions.
    public func historyForChannel(
        _ channel: String, withMetadata shouldIncludeMetadata: Bool, messageActions shouldIncludeMessageActions: Bool,
        completion block: @escaping PNHistoryCompletionBlock
    ) {
        history(
            HistoryDraft(
                channel: channel, includesMetadata: shouldIncludeMetadata, includesActions: shouldIncludeMessageActions), block)
    }

    /// Requests the newest messages of a time range, at most 100.
    public func historyForChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?,
        withCompletion block: @escaping PNHistoryCompletionBlock
    ) {
        history(HistoryDraft(channel: channel, start: startDate, end: endDate), block)
    }

    /// Requests the newest messages of a time range, at most 100, optionally with their metadata.
    public func historyForChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?, includeMetadata shouldIncludeMetadata: Bool,
        withCompletion block: @escaping PNHistoryCompletionBlock
    ) {
        history(
            HistoryDraft(channel: channel, start: startDate, end: endDate, includesMetadata: shouldIncludeMetadata), block)
    }

    /// Requests the newest messages of a time range, optionally with their actions.
    public func historyForChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?,
        includeMessageActions shouldIncludeMessageActions: Bool, withCompletion block: @escaping PNHistoryCompletionBlock
    ) {
        history(
            HistoryDraft(channel: channel, start: startDate, end: endDate, includesActions: shouldIncludeMessageActions), block)
    }

    /// Requests the newest messages of a time range, optionally with their metadata and their actions.
    public func historyForChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?, includeMetadata shouldIncludeMetadata: Bool,
        includeMessageActions shouldIncludeMessageActions: Bool, withCompletion block: @escaping PNHistoryCompletionBlock
    ) {
        history(
            HistoryDraft(
                channel: channel, start: startDate, end: endDate, includesMetadata: shouldIncludeMetadata,
                includesActions: shouldIncludeMessageActions), block)
    }

    /// Requests the newest messages of a time range, at most `limit`, which is up to 100.
    public func historyForChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?, limit: UInt,
        withCompletion block: @escaping PNHistoryCompletionBlock
    ) {
        history(HistoryDraft(channel: channel, start: startDate, end: endDate, limit: limit), block)
    }

    /// Requests the newest messages of a time range, at most 100, optionally with their timetokens.
    public func historyForChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?, includeTimeToken shouldIncludeTimeToken: Bool,
        withCompletion block: @escaping PNHistoryCompletionBlock
    ) {
        history(
            HistoryDraft(channel: channel, start: startDate, end: endDate, includesTimetoken: shouldIncludeTimeToken), block)
    }

    /// Requests the newest messages of a time range, at most `limit` (up to 100), optionally with their timetokens.
    public func historyForChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?, limit: UInt,
        includeTimeToken shouldIncludeTimeToken: Bool, withCompletion block: @escaping PNHistoryCompletionBlock
    ) {
        history(
            HistoryDraft(
                channel: channel, start: startDate, end: endDate, limit: limit, includesTimetoken: shouldIncludeTimeToken), block)
    }

    /// Requests the newest messages of a time range, or the oldest messages when `reverse` is true; at most `limit`.
    public func historyForChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?, limit: UInt, reverse shouldReverseOrder: Bool,
        withCompletion block: @escaping PNHistoryCompletionBlock
    ) {
        history(
            HistoryDraft(channel: channel, start: startDate, end: endDate, limit: limit, isReversed: shouldReverseOrder), block)
    }

    /// Requests the newest messages of a time range, or the oldest messages when `reverse` is true; at most `limit`, optionally with their
    /// timetokens.
    public func historyForChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?, limit: UInt, reverse shouldReverseOrder: Bool,
        includeTimeToken shouldIncludeTimeToken: Bool, withCompletion block: @escaping PNHistoryCompletionBlock
    ) {
        history(
            HistoryDraft(
                channel: channel, start: startDate, end: endDate, limit: limit, includesTimetoken: shouldIncludeTimeToken,
                isReversed: shouldReverseOrder), block)
    }

    /// The implementation that all history methods share.
    func history(_ draft: HistoryDraft, _ block: @escaping PNHistoryCompletionBlock) {
        let extras = CallExtras(query: draft.query)
        let cipher = cipher
        if draft.operation == .historyOperation {
            start(draft.operation, extras: extras) { () throws(PubNubProblem) in
                HistoryQuestion(try draft.page()) { HistoryContent($0, of: $1) }
            } then: {
                Self.finish($0, cipher: cipher, then: block)
            }
        } else {
            start(draft.operation, extras: extras) { () throws(PubNubProblem) in
                HistoryQuestion(try draft.fetch()) { HistoryContent($0, of: $1) }
            } then: {
                Self.finish($0, cipher: cipher, then: block)
            }
        }
    }

    private static func finish(
        _ outcome: CallOutcome<HistoryContent>, cipher: PubNubCipher?, then block: PNHistoryCompletionBlock
    ) {
        guard var content = outcome.answer else { return block(nil, outcome.errorStatus()) }
        if let cipher, content.open(with: cipher) {
            var failed = outcome.map { (_) throws(PubNubProblem) -> HistoryContent in throw .undecryptable }
            // When a message cannot be decrypted, the Cocoa SDK reports the operation of a history without message actions, even for a
            // history with message actions (rule PL-93).
            if failed.facts.operation == .historyWithActionsOperation { failed.facts.operation = .historyOperation }
            return block(nil, failed.errorStatus(associatedObject: PNHistoryData(content)))
        }
        block(PNHistoryResult(outcome.facts, content), nil)
    }
}

/// A history request to either version of the history service, whose answer is converted to ``HistoryContent``.
private struct HistoryQuestion<Call: PubNubCall>: PubNubCall {
    let call: Call
    let content: @Sendable (Call.Answer, Call) -> HistoryContent

    init(_ call: Call, _ content: @escaping @Sendable (Call.Answer, Call) -> HistoryContent) {
        self.call = call
        self.content = content
    }

    func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest { try call.request(settings) }

    func answer(_ body: [UInt8]) throws(PubNubProblem) -> HistoryContent { content(try call.answer(body), call) }
}
