import NIOCore
import WireCoding

@testable import PusherServer

extension EncodedEvents {
    /// The events in the form that leaders of the version before take.
    func requests() throws -> PartitionRequest {
        .events(
            application: application,
            try events.map { event in
                var message = event.message.before
                message.writeString("null")
                message.writeImmutableBuffer(event.message.after)
                let json = try JSONText(bytes: Array(message.readableBytesView))
                return PublishRequest(
                    event: json["event"]?.string ?? "", data: json["data"]?.string ?? "", channels: event.channels,
                    excluded: event.excluded, info: event.info)
            })
    }
}
