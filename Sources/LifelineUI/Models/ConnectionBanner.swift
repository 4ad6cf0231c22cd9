import Observation

/// One line about the connection, for a view: nil while the connection works, otherwise the problem and the next step of the client. On
/// the main actor. Rule UI-1.
///
/// ```swift
/// @State private var banner: ConnectionBanner  // ConnectionBanner(client)
///
/// if let text = banner.text { Text(text) }
/// ```
///
/// The banner does not keep its client alive.
@available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
@MainActor @Observable
public final class ConnectionBanner {
    /// The present status of the connection.
    public private(set) var status: ConnectionStatus

    @ObservationIgnored private let words: @Sendable (ConnectionStatus) -> String?
    // Needs no lock: written once by `init`, before the object is shared, and read by `deinit` only.
    @ObservationIgnored nonisolated(unsafe) private var following: Task<Void, Never>?

    /// A banner that follows the statuses of a client.
    ///
    /// - Parameters:
    ///   - client: the client, connected or not.
    ///   - words: returns the line for a status, for other languages or texts; nil for no line. The default is ``text(for:)``.
    public init(_ client: LifelineClient, words: @escaping @Sendable (ConnectionStatus) -> String? = ConnectionBanner.text(for:))
    {
        status = client.status
        self.words = words
        let statuses = client.statuses
        following = Task { [weak self] in
            for await status in statuses {
                guard let self else { return }
                self.status = status
            }
        }
    }

    deinit { following?.cancel() }

    /// The text of the banner; nil while there is nothing to report.
    public var text: String? { words(status) }

    /// Whether the banner has a text.
    public var isVisible: Bool { text != nil }

    /// The line for a status, in English, which never describes the connection as better than it is. Nil while the connection works,
    /// before the first `connect`, and after a `disconnect` by the app.
    public nonisolated static func text(for status: ConnectionStatus) -> String? {
        let reason = status.cause.map { " \($0.reason)" } ?? ""
        switch status.phase {
        case .connected, .idle, .disconnecting, .disconnected: return nil
        case .connecting: return status.attempt == 0 ? "Connecting …" : "Connecting again …"
        case .waiting:
            guard let pause = status.retryIn else { return "Not connected.\(reason)" }
            let seconds = (pause / .seconds(1)).rounded(.up)
            return seconds < 1
                ? "Not connected.\(reason)" : "Not connected, next attempt in \(Int(min(seconds, 86_400))) s.\(reason)"
        case .suspended: return status.category == .background ? "Paused." : "No network."
        case .failed: return "Not connected, and nothing more is tried.\(reason)"
        }
    }
}
