import Identifiers
import PubNubProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// Requests for history, deletion of messages and message counts (rules PV-40 to PV-47 and PV-182).
extension PubNubREST {
    /// The largest number of channels in a request for history; `countChannels` is the largest number in a request for counts.
    private static let pageChannels = 500
    private static let countChannels = 100
    private static let actionsLimit = 25

    func pastMessages(_ request: PubNubServerRequest, _ channel: String) async throws(PubNubErrorBody) -> HTTPAnswer {
        var query = Self.query(request, channel, limit: Self.limit(request, "count", most: 100))
        query.isOldestFirst = request.flag("reverse") ?? false
        let fields = HistoryBodies.PastFields(
            token: request.flag("include_token") ?? false, meta: request.flag("include_meta") ?? false,
            stringTokens: request.flag("string_message_token") ?? request.flag("stringtoken") ?? false)
        return .pubnub(HistoryBodies.past(try await page(query).messages, fields))
    }

    func history(_ request: PubNubServerRequest, _ channels: [String]) async throws(PubNubErrorBody) -> HTTPAnswer {
        guard !channels.isEmpty, channels.count <= Self.pageChannels else { throw .invalidArguments }
        let limit = Self.limit(request, "max", most: channels.count == 1 ? 100 : 25)
        let channels = channels.uniqueByBytes()
        var shares = HistoryShares(channels: channels.count)
        var pages: [HistoryAnswerPage] = []
        var more: [HistoryBodies.More] = []
        for channel in channels {
            var query = Self.query(request, channel, limit: limit)
            guard let bytes = shares.next else {
                more.append(Self.more(of: query, under: request, from: query.start))
                continue
            }
            query.maximumBytes = bytes
            let page = try await page(query)
            shares.use(page.bytes)
            pages.append(page)
            // The answer names the next page only if this page has fewer messages than requested. After a full page, clients request more
            // messages anyway.
            if page.isCut, page.messages.count < limit { more.append(Self.more(of: query, under: request, from: page.start)) }
        }
        return .pubnub(HistoryBodies.pages(pages, Self.fields(request), more: more, isSingle: channels.count == 1))
    }

    /// The position at which a client can continue to read one channel.
    private static func more(
        of query: HistoryQuery, under request: PubNubServerRequest, from start: UInt64?
    ) -> HistoryBodies.More {
        let path = request.target.rawPath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        var url = path.joined(separator: "/") + "/" + PercentEncoding.encode(query.channel.text) + "?max=\(query.limit)"
        if let start { url += "&start=\(start)" }
        if let end = query.end { url += "&end=\(end)" }
        return HistoryBodies.More(channel: query.channel.text, url: url, start: start, limit: query.limit)
    }

    func historyWithActions(_ request: PubNubServerRequest, _ channel: String) async throws(PubNubErrorBody) -> HTTPAnswer {
        // A comma is an error, because this request allows one channel only.
        guard !channel.hasByte(UInt8(ascii: ",")) else { throw .invalidArguments }
        let limit = Self.limit(request, "max", most: Self.actionsLimit)
        var query = Self.query(request, channel, limit: limit)
        query.maximumBytes = HistoryAnswerPage.maximumBytes
        var page = try await page(query)
        let actions = application.actions.of(page.messages.map(\.timetoken), on: channel)
        page.keepNewest(within: HistoryAnswerPage.maximumBytes) { message in
            actions[message.timetoken, default: []].reduce(message.size) { $0 + $1.size }
        }
        let end = query.end.map { "&end=\($0)" } ?? ""
        let more = page.start.map { start in
            HistoryBodies.More(
                channel: channel, url: "\(request.target.rawPath)?start=\(start)&max=\(limit)\(end)", start: start, limit: limit)
        }
        return .pubnub(
            HistoryBodies.withActions(
                channel, page.messages, fields: Self.fields(request),
                actions: { actions[$0.timetoken].map { ActionBodies.grouped($0) } }, more: more))
    }

    /// Deletes messages, and then the actions on these messages (rule PV-74). If the deletion fails, the client can repeat the request to
    /// delete the rest.
    ///
    /// A `start` or `end` that is not a timetoken, and an `end` of 0, are errors: ignoring them would delete more messages than the client
    /// intends (rule PV-182).
    func deleteHistory(_ request: PubNubServerRequest, _ channel: String) async throws(PubNubErrorBody) -> HTTPAnswer {
        guard !channel.hasByte(UInt8(ascii: ",")), Self.isReadable(request, "start"), Self.isReadable(request, "end"),
            request.timetoken("end") != .zero
        else {
            throw .invalidArguments
        }
        let (channel, start, end) = (Identifier(channel), Self.bound(request, "start"), Self.bound(request, "end"))
        let store = application.storage.store
        do {
            _ = try await store.delete(channel: channel, start: start, end: end, application: application.subscribeKey)
        } catch {
            throw .historyUnavailable
        }
        guard let span = HistorySpan(start: start, end: end, isOldestFirst: true) else { return .pubnub(HistoryBodies.deleted) }
        var left = application.actions.beginRemoval(ofActionsOn: span, of: channel)[...]
        var isStored = true
        while !left.isEmpty {
            let piece = Array(left.prefix(Self.actionsPerRemoval))
            left = left.dropFirst(piece.count)
            if isStored {
                do {
                    try await store.remove(actions: piece, of: channel, application: application.subscribeKey)
                } catch {
                    isStored = false
                }
            }
            for action in piece { application.actions.settle(.removed(action), on: channel.text, isStored: isStored) }
        }
        guard isStored else { throw .historyUnavailable }
        return .pubnub(HistoryBodies.deleted)
    }

    private static let actionsPerRemoval = 500

    func counts(_ request: PubNubServerRequest, _ channels: [String]) async throws(PubNubErrorBody) -> HTTPAnswer {
        guard !channels.isEmpty, channels.count <= Self.countChannels, let since = Self.starts(request, channels) else {
            throw .invalidArguments
        }
        let found: [Identifier: Int]
        do {
            found = try await application.storage.store.counts(since, application: application.subscribeKey)
        } catch {
            throw .historyFailed
        }
        return .pubnub(HistoryBodies.counts(channels.uniqueByBytes().map { ($0, found[Identifier($0)] ?? 0) }))
    }

    /// Reads a page of a channel's messages. Its size is limited by the query and by the limit of an answer.
    private func page(_ query: HistoryQuery) async throws(PubNubErrorBody) -> HistoryAnswerPage {
        var query = query
        query.maximumBytes = min(query.maximumBytes, HistoryAnswerPage.maximumBytes)
        do {
            return HistoryAnswerPage(
                try await application.storage.store.history(query, application: application.subscribeKey), query)
        } catch {
            throw .historyFailed
        }
    }

    private static func query(_ request: PubNubServerRequest, _ channel: String, limit: Int) -> HistoryQuery {
        HistoryQuery(channel: Identifier(channel), start: bound(request, "start"), end: bound(request, "end"), limit: limit)
    }

    /// The timetoken in the parameter `start` or `end`; nil when the parameter is missing or 0.
    static func bound(_ request: PubNubServerRequest, _ name: String) -> UInt64? {
        request.timetoken(name).flatMap { $0 == .zero ? nil : $0.rawValue }
    }

    /// Whether the parameter `start` or `end` is missing or contains a timetoken.
    private static func isReadable(_ request: PubNubServerRequest, _ name: String) -> Bool {
        request.parameter(name) == nil || request.timetoken(name) != nil
    }

    /// A number parameter from 1 to `most`; `most` when the parameter is missing or invalid.
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

    /// The timetoken after which the messages of each channel are counted. The request contains either one timetoken for all channels, or
    /// one for each channel. Nil when the number of timetokens is wrong, or when one of them is malformed.
    private static func starts(_ request: PubNubServerRequest, _ channels: [String]) -> [Identifier: UInt64]? {
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
            channels.enumerated().map { (Identifier($1), tokens[tokens.count == 1 ? 0 : $0].rawValue) },
            uniquingKeysWith: { _, last in last }
        )
    }
}
