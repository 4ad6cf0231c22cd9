/// The names of the built-in types on the wire.
public enum MessageType {
    public static let text = "RC:TxtMsg"
    public static let image = "RC:ImgMsg"
    public static let gif = "RC:GIFMsg"
    public static let hdVoice = "RC:HQVCMsg"
    public static let file = "RC:FileMsg"
    public static let shortVideo = "RC:SightMsg"
    public static let reference = "RC:ReferenceMsg"
    public static let location = "RC:LBSMsg"
    public static let combine = "RC:CombineMsg"
    public static let command = "RC:CmdMsg"
    public static let commandNotification = "RC:CmdNtf"
    public static let informationNotification = "RC:InfoNtf"
    public static let groupNotification = "RC:GrpNtf"
    /// The version of ``combine`` with the messages in the content.
    static let combineV2 = "RC:CombineMsgV2"
}
