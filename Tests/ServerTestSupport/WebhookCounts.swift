import Identifiers

@testable import PusherServer
@testable import ServerRuntime

extension PusherWebhookService {
    /// What became of the events of each application, whichever receiver they were for.
    var counts: [Identifier: WebhookDelivery.Counts] {
        receivers.mapValues { $0.reduce(into: .init()) { $0 += $1.counts } }
    }
}
