import ChatProtocol

/// Notifies the user's other devices that messages were read. Without a connection the notifications wait until the client is connected
/// (rule NH-21).
final class ReadReports: Sendable {
    private let unsent = PerClient<[ChatChannel: Int64]>([:])

    func report(_ channel: ChatChannel, upTo time: Int64, _ client: ChatClient) {
        client.request(.read(channel, time: time)) { result in
            guard case .failure(let error) = result, error.isWithoutConnection else { return }
            self.unsent.withValue(of: client) { $0[channel] = max($0[channel] ?? 0, time) }
        }
    }

    /// Sends the notifications that waited for a connection.
    func flush(_ client: ChatClient) {
        let reads = unsent.withValue(of: client) { reads in
            defer { reads = [:] }
            return reads
        }
        for (channel, time) in reads { report(channel, upTo: time, client) }
    }
}

extension NCError {
    /// Whether the call failed because there was no connection. Such a call is repeated once the client is connected.
    var isWithoutConnection: Bool {
        [ChatErrorCode.noConnection, .sendTimedOut, .noAcknowledgement, .notConnectedYet].contains(ChatErrorCode(code))
    }
}
