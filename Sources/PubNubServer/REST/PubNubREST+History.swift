import PubNubProtocol
import RealtimeHub

/// History, deletion and counts (wire sheet 3; rules PV-40 to PV-47).
extension PubNubREST {
    /// The most channels of a request for pages, and for counts.
    private static let pageChannels = 500
    private static let countChannels = 100
    private static let actionsLimit = 25

    func pastMessages(_ request: PubNubServerRequest, _ channel: String) async throws(PubNubErrorBody) -> HTTPAnswer {
        var query = Self.query(request, channel, limit: Self.limit(request, "count", most: 100))
        query.isOldestFirst = request.flag("reverse") ?? false
        let fields = HistoryBodies.PastFields(
            token: request.flag("include_token") ?? false, meta: request.flag("include_meta") ?? false,
            stringTokens: request.flag("string_message_token") ?? false)
        return .pubnub(HistoryBodies.past(try await history(query), fields))
    }

    func history(_ request: PubNubServerRequest, _ channels: [String]) async throws(PubNubErrorBody) -> HTTPAnswer {
        guard !channels.isEmpty, channels.count <= Self.pageChannels else { throw .invalidArguments }
        let limit = Self.limit(request, "max", most: channels.count == 1 ? 100 : 25)
        var pages: [(name: String, messages: [StoredMessage])] = []
        for channel in channels where !pages.contains(where: { $0.name == channel }) {
            pages.append((channel, try await history(Self.query(request, channel, limit: limit))))
        }
        return .pubnub(HistoryBodies.pages(pages, Self.fields(request)))
    }

    func historyWithActions(_ request: PubNubServerRequest, _ channel: String) async throws(PubNubErrorBody) -> HTTPAnswer {
        // The path has one channel; a list of them is a mistake.
        guard !channel.contains(",") else { throw .invalidArguments }
        let limit = Self.limit(request, "max", most: Self.actionsLimit)
        let messages = try await history(Self.query(request, channel, limit: limit))
        let actions = application.actions.of(messages.map(\.timetoken), on: channel)
        let more = messages.first.flatMap { first in
            messages.count == limit
                ? HistoryBodies.More(
                    url: "\(request.target.rawPath)?start=\(first.timetoken)&max=\(limit)", start: first.timetoken, limit: limit)
                : nil
        }
        return .pubnub(
            HistoryBodies.withActions(
                channel, messages, Self.fields(request),
                actions: { actions[$0.timetoken].map { ActionBodies.grouped($0) } }, more: more))
    }

    func deleteHistory(_ request: PubNubServerRequest, _ channel: String) async throws(PubNubErrorBody) -> HTTPAnswer {
        do {
            _ = try await application.timeline.store.delete(
                channel: channel, start: Self.bound(request, "start"), end: Self.bound(request, "end"),
                application: application.keyset.subscribeKey)
        } catch {
            throw .historyFailed
        }
        return .pubnub(HistoryBodies.deleted)
    }

    func counts(_ request: PubNubServerRequest, _ channels: [String]) async throws(PubNubErrorBody) -> HTTPAnswer {
        guard !channels.isEmpty, channels.count <= Self.countChannels, let since = Self.starts(request, channels) else {
            throw .invalidArguments
        }
        let found: [String: Int]
        do {
            found = try await application.timeline.store.counts(since, application: application.keyset.subscribeKey)
        } catch {
            throw .historyFailed
        }
        var seen: Set<String> = []
        let names = channels.filter { seen.insert($0).inserted }
        return .pubnub(HistoryBodies.counts(names.map { ($0, found[$0] ?? 0) }))
    }

    private func history(_ query: HistoryQuery) async throws(PubNubErrorBody) -> [StoredMessage] {
        do {
            return try await application.timeline.store.history(query, application: application.keyset.subscribeKey)
        } catch {
            throw .historyFailed
        }
    }

    private static func query(_ request: PubNubServerRequest, _ channel: String, limit: Int) -> HistoryQuery {
        HistoryQuery(channel: channel, start: bound(request, "start"), end: bound(request, "end"), limit: limit)
    }

    /// A timetoken; 0 counts as none.
    private static func bound(_ request: PubNubServerRequest, _ name: String) -> UInt64? {
        request.timetoken(name).flatMap { $0 == .zero ? nil : $0.rawValue }
    }

    /// A number from 1 to `most`, and `most` when it is missing or makes no sense.
    private static func limit(_ request: PubNubServerRequest, _ name: String, most: Int) -> Int {
        guard let asked = request.parameter(name).flatMap({ Int($0) }), asked > 0 else { return most }
        return min(asked, most)
    }

    private static func fields(_ request: PubNubServerRequest) -> HistoryBodies.Fields {
        HistoryBodies.Fields(
            meta: request.flag("include_meta") ?? false, user: request.flag("include_uuid") ?? false,
            kind: request.flag("include_message_type") ?? false,
            customType: request.flag("include_custom_message_type") ?? false,
            encodesChannels: request.flag("encode_channels") ?? true)
    }

    /// Since when each channel is counted: one timetoken for all, or one for each.
    private static func starts(_ request: PubNubServerRequest, _ channels: [String]) -> [String: UInt64]? {
        let tokens: [Timetoken]
        if let list = request.parameter("channelsTimetoken") {
            let read = PubNubAddress.list(list).map { Timetoken($0) }
            tokens = read.compactMap { $0 }
            guard tokens.count == read.count, tokens.count == channels.count || tokens.count == 1 else { return nil }
        } else if let token = request.timetoken("timetoken") {
            tokens = [token]
        } else {
            return nil
        }
        return Dictionary(
            channels.enumerated().map { ($1, tokens[tokens.count == 1 ? 0 : $0].rawValue) }, uniquingKeysWith: { _, last in last }
        )
    }
}
