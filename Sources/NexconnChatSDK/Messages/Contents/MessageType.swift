/// The names of the built-in content types in the protocol.
public enum MessageType {
    /// ``TextMessage``.
    public static let text = "RC:TxtMsg"
    /// ``ImageMessage``.
    public static let image = "RC:ImgMsg"
    /// ``GIFMessage``.
    public static let gif = "RC:GIFMsg"
    /// ``HDVoiceMessage``.
    public static let hdVoice = "RC:HQVCMsg"
    /// ``FileMessage``.
    public static let file = "RC:FileMsg"
    /// ``ShortVideoMessage``.
    public static let shortVideo = "RC:SightMsg"
    /// ``ReferenceMessage``.
    public static let reference = "RC:ReferenceMsg"
    /// ``LocationMessage``.
    public static let location = "RC:LBSMsg"
    /// ``CombineMessage``.
    public static let combine = "RC:CombineMsg"
    /// ``CommandMessage``.
    public static let command = "RC:CmdMsg"
    /// ``CommandNotificationMessage``.
    public static let commandNotification = "RC:CmdNtf"
    /// ``InformationNotificationMessage``.
    public static let informationNotification = "RC:InfoNtf"
    /// ``GroupNotificationMessage``.
    public static let groupNotification = "RC:GrpNtf"
    /// The second version of ``combine``: its content includes the combined messages.
    static let combineV2 = "RC:CombineMsgV2"
}
