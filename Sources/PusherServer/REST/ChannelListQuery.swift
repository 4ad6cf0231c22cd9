import PusherProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// A query for the channels of an application. Pusher HTTP API, GET channels (rule SR-69).
struct ChannelListQuery: Hashable, Sendable {
    let application: String
    let prefix: String
    let info: ChannelAttributes

    /// The largest size of an answer, in bytes.
    static let maximumBytes = 16 << 20
    /// The number of channels on the server up to which a query is answered on the event loop; with more channels, a thread pool answers
    /// it.
    static let few = 1_000

    /// Makes a query from values that were checked before.
    init(application: String, prefix: String, info: ChannelAttributes) {
        self.application = application
        self.prefix = prefix
        self.info = info
    }

    init(_ request: RESTRequest, of application: Application) throws(HTTPProblem) {
        self.application = application.id
        prefix = try request.parameter("filter_by_prefix") ?? ""
        info = try ChannelAttributes(parsing: request.parameter("info"))
        guard !info.contains(.cache) else {
            throw .badRequest("info of a list of channels may contain only user_count and subscription_count.")
        }
        guard !info.contains(.userCount) || prefix.utf8.starts(with: "presence-".utf8) else {
            throw .badRequest("user_count needs a filter_by_prefix that begins with presence-.")
        }
        try RESTService.checkCounts(info, application)
    }

    /// Finds the channels and makes the HTTP answer. May be called from any thread.
    func answer(from service: PusherService, limit: Int = Self.maximumBytes) throws(HTTPProblem) -> HTTPAnswer {
        try answer(with: try find(in: service.channels, limit: limit), limit: limit)
    }

    /// Searches the shards of channels one after the other, each under its own lock. May be called from any thread.
    ///
    /// - Returns: the channels, in no particular order.
    func find(in channels: any ChannelBackend, limit: Int = Self.maximumBytes) throws(HTTPProblem) -> [ChannelOccupancy] {
        var found: [ChannelOccupancy] = []
        var bytes = 0
        let hasReserved = PusherChannelName.isReserved(prefix)
        channels.forEachOccupied(application: application, prefix: prefix) { part in
            let part = hasReserved ? part : part.filter { !PusherChannelName.isReserved($0.name) }
            bytes += part.reduce(0) { $0 + $1.name.utf8.count + 6 }
            guard bytes <= limit else { return false }
            found += part
            return true
        }
        guard bytes <= limit else { throw Self.tooLong(limit) }
        return found
    }

    /// Makes the HTTP answer with these channels, sorted by name.
    func answer(with found: [ChannelOccupancy], limit: Int = Self.maximumBytes) throws(HTTPProblem) -> HTTPAnswer {
        // The size is checked before sorting, because sorting a list that exceeds the limit takes long. The limit can be exceeded when the
        // lists of several partitions are combined.
        guard found.reduce(0, { $0 + $1.name.utf8.count + 6 }) <= limit else { throw Self.tooLong(limit) }
        let found = found.sorted { $0.name < $1.name }
        var out = Array(#"{"channels":{"#.utf8)
        out.reserveCapacity(found.reduce(16) { $0 + $1.name.utf8.count + 6 })
        for (index, channel) in found.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(channel.name, to: &out)
            out.append(UInt8(ascii: ":"))
            RESTService.append(RESTService.counts(of: channel, info), to: &out)
        }
        out.append(contentsOf: "}}".utf8)
        guard out.count <= limit else { throw Self.tooLong(limit) }
        return HTTPAnswer(.json, out)
    }

    private static func tooLong(_ limit: Int) -> HTTPProblem {
        .badRequest("The list of channels has more than \(limit) bytes; request parts of it with filter_by_prefix.")
    }
}
