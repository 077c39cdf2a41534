"""HTTP/1.1 within limits: from the socket to a request, on uvicorn's protocols."""
