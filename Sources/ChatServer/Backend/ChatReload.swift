import ServerStorage

/// The chat applications of a new configuration, with prepared applications for those that are new.
package struct ChatReload: Sendable {
    package let settings: [ChatApplication]
    let new: [ServedChatApplication]
}
