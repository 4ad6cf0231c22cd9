import RealtimeHub

/// Chat applications that are about to be taken over, and those of them that have to be added, ready to serve.
package struct ChatReload: Sendable {
    package let settings: [ChatApplication]
    let new: [NexconnApplication]
}
