import ServerStorage

/// A prepared change of the configuration: the settings of all chat applications, and, in `new`, those applications that the server did not
/// serve before.
package struct ChatReload: Sendable {
    package let settings: [ChatApplication]
    let new: [ServedChatApplication]
}
