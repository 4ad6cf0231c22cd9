import LifelineUI
import Observation

/// What travels.
public struct Price: Codable, Hashable, Sendable {
    public var company: String
    public var cents: Int

    public init(company: String, cents: Int) { (self.company, self.cents) = (company, cents) }
}

/// An app's model: live prices with the last 20 on opening, who is looking, proposals that wait while there is no connection, and a
/// banner. SwiftUI shows its properties as they are, and runs it with `.task { await board.run() }`.
@available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
@MainActor @Observable
public final class PriceBoard {
    public let banner: ConnectionBanner
    public let prices: ChannelModel<Price>
    /// Proposals that wait, are on their way, or have failed.
    public private(set) var proposals: [OutboxEntry] = []
    private let client: LifelineClient
    private var outbox: Outbox?

    public init(_ service: Service) {
        client = LifelineClient(service)
        banner = ConnectionBanner(client)
        prices = ChannelModel(client.channel("prices"), of: Price.self, event: "price", history: 20)
    }

    /// The latest price of each company.
    public var latest: [String: Int] { prices.values.reduce(into: [:]) { $0[$1.company] = $1.cents } }
    /// Whether prices may have been missed since the latest one.
    public var isStale: Bool { prices.rows.last?.isGap ?? false }
    public var people: [String] { prices.members.map(\.id) }

    public func run() async throws(LifelineError) {
        let outbox = try await client.outbox()
        self.outbox = outbox
        let lists = outbox.entryLists
        let watching = Task { [weak self] in for await entries in lists { self?.proposals = entries } }
        defer { watching.cancel() }
        try await client.connect()
        await prices.run()
    }

    public func propose(_ price: Price) throws(LifelineError) {
        try outbox?.publish(price, to: "prices", event: "price")
    }

    public func retry(_ proposal: OutboxEntry) throws(LifelineError) {
        _ = try outbox?.retry(proposal.id)
    }
}
