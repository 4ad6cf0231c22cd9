import ServerStorage

/// A prepared reload: the chat applications of the new configuration, and the prepared applications for added ones.
package struct ChatReload: Sendable {
    package let settings: [ChatApplication]
    let new: [ServedChatApplication]
}
