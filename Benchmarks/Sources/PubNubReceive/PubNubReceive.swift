import Dispatch
import Foundation
import Measuring
import PubNub

/// Subscribes a `PubNub` client to one channel of a feeder of long-poll answers and prints one line of JSON after the last message.
///
/// Usage: PubNubReceive PORT CHANNEL. The feeder's channels are `feed-COUNT-BATCH` (BATCH messages an answer, as fast as it can) and
/// `pace-COUNT-BATCH-MS` (an answer every MS milliseconds, with the time of sending in `t`).
@main struct PubNubReceive {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[1]) else {
            print("usage: PubNubReceive PORT CHANNEL")
            exit(2)
        }
        let channel = arguments[2]
        let parts = channel.split(separator: "-")
        let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
        configuration.origin = "127.0.0.1:\(port)"
        configuration.TLSEnabled = false
        configuration.uuid = "benchmark"
        let queue = DispatchQueue(label: "benchmark")
        let client = PubNub.clientWithConfiguration(configuration, callbackQueue: queue)
        let counter = Counter(total: parts.count > 1 ? Int(parts[1]) ?? 0 : 0, isPaced: channel.hasPrefix("pace-"))
        client.addListener(counter)
        client.subscribeToChannels([channel], withPresence: false)
        withExtendedLifetime((client, counter)) { dispatchMain() }
    }
}

/// Counts messages, reading from each what an app would read.
final class Counter: PNEventsListener, @unchecked Sendable {
    // Touched on the benchmark's serial queue only, which takes the place of a lock.
    private let measurement: Measuring.Measurement
    private let total: Int
    private let isPaced: Bool
    private var count = 0

    init(total: Int, isPaced: Bool) {
        self.total = total
        self.isPaced = isPaced
        measurement = Measuring.Measurement(client: "PubNub", measuresLatency: isPaced)
    }

    func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) {
        if !measurement.isRunning { measurement.start() }
        // Not `as? Int`, which on Linux costs as much as a third of what the library does with a message.
        guard let body = message.data.message as? [String: Any], (body["i"] as? NSNumber)?.intValue == count else {
            print("message \(count) is not what it should be: \(String(describing: message.data.message))")
            exit(1)
        }
        measurement.tick(bytes: 0, sentAt: isPaced ? (body["t"] as? NSNumber)?.doubleValue : nil)
        count += 1
        guard count == total else { return }
        measurement.report()
        exit(0)
    }
}
