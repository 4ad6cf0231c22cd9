#if os(watchOS)
    #error("This package does not run on watchOS, which lets apps open no sockets and no Network.framework connections (TN3135).")
#endif
