@main struct LifelineCommand { static func main() {} }
